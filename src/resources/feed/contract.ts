/** docs/spec/people.md#files */
import * as z from "zod";
import type { Contract } from "../contract.ts";
import { timestamp } from "../fields.ts";

const jsonFeed = z.strictObject({
  version: z.literal("https://jsonfeed.org/version/1.1"),
  title: z.string(),
  home_page_url: z.string().optional(),
  feed_url: z.string().optional(),
  items: z
    .array(
      z.strictObject({
        id: z.string().regex(/^tag:/),
        title: z.string(),
        content_text: z.string(),
        date_published: timestamp,
        tags: z.array(z.string()),
      }),
    )
    .max(50),
});

export const jsonFeedContract = {
  operation: "jsonFeed",
  body: { name: "JsonFeed", schema: jsonFeed },
  tag: "Files",
  summary: "Newest settlements and milestones as JSON Feed 1.1",
  description: "The newest 50. docs/spec/people.md#files 7",
  rules: [],
} as const satisfies Contract;

export const atomFeedContract = {
  operation: "atomFeed",
  body: null,
  tag: "Files",
  summary: "Newest settlements and milestones as Atom",
  description: "The same entries under the same ids. docs/spec/people.md#files 7",
  rules: [],
} as const satisfies Contract;

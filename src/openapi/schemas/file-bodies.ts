/** Bodies of the data files (docs/spec/people.md#files). */
import { z } from "zod";
import { installationIdField, timestamp } from "../../resources/fields.ts";
import { publicationStatusSchema } from "../../resources/publication-status/schema.ts";

const badge = z.strictObject({
  schemaVersion: z.literal(1),
  label: installationIdField,
  message: z.enum(["online", "stale", "offline"]),
  color: z.string().min(1),
});

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

const openapi = z.looseObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.looseObject({}),
  paths: z.looseObject({}),
});

export const FILE_BODIES = {
  OpenApi: openapi,
  JsonFeed: jsonFeed,
  Badge: badge,
  PublicationStatus: publicationStatusSchema,
} as const;

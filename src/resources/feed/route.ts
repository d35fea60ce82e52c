/** The two feed files: the newest settlements and milestones (docs/spec/people.md#files). */
import { FILE_RULES, type FileRow } from "../../http/route.ts";
import { SITE_PREFIX } from "../site/route.ts";

export const jsonFeedFile = {
  ...FILE_RULES,
  name: "feed-json",
  resource: "feed",
  path: "/feed.json",
  objects: [{ query: "", key: `${SITE_PREFIX}feed.json` }],
  contentType: "application/feed+json; charset=utf-8",
} as const satisfies FileRow;

export const atomFeedFile = {
  ...FILE_RULES,
  name: "feed-atom",
  resource: "feed",
  path: "/feed.atom",
  objects: [{ query: "", key: `${SITE_PREFIX}feed.atom` }],
  contentType: "application/atom+xml; charset=utf-8",
} as const satisfies FileRow;

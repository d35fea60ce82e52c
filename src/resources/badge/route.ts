/** For badge services; the shim makes it from the telemetry as of now (docs/spec/people.md#files). */
import { CONTENT_TYPE } from "../../http/common-headers.ts";
import { FOLLOWS_RECEIPTS } from "../../http/edge.ts";
import { FILE_RULES } from "../../http/files.ts";
import type { FileRow } from "../../http/route.ts";

export const badgeFile = {
  ...FILE_RULES,
  name: "badge",
  resource: "badge",
  path: "/badge.json",
  handler: "badge",
  objects: [],
  contentType: CONTENT_TYPE,
  edgeSeconds: FOLLOWS_RECEIPTS,
} as const satisfies FileRow;

/** The file for badge services (docs/spec/people.md#files). The shim builds it from current telemetry. */
import { CONTENT_TYPE } from "../../http/common-headers.ts";
import { FILE_RULES, type FileRow, FOLLOWS_RECEIPTS } from "../../http/route.ts";

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

/** The file for badge services (docs/spec/people.md#files). The shim builds it from current telemetry. */
import { CONTENT_TYPE } from "../../http/common-headers.ts";
import { FILE_RULES, type FileRow, RECEIPTS_EDGE_SECONDS } from "../../http/route.ts";

export const badgeFile = {
  ...FILE_RULES,
  name: "badge",
  resource: "badge",
  path: "/badge.json",
  handler: "badge",
  objects: [],
  contentType: CONTENT_TYPE,
  edgeSeconds: RECEIPTS_EDGE_SECONDS,
} as const satisfies FileRow;

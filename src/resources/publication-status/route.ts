/** The file /status.json (docs/spec/people.md#status-json). The shim builds it from the head and the clock. */
import { CONTENT_TYPE, NO_STORE } from "../../http/common-headers.ts";
import { HEAD_KEY } from "../../http/keys.ts";
import { FILE_RULES, type FileRow } from "../../http/route.ts";

/** `objects` stays empty: no front serves the head itself. */
export const publicationStatusFile = {
  ...FILE_RULES,
  name: "publication-status",
  resource: "publication-status",
  path: "/status.json",
  handler: "publication-status",
  objects: [],
  parts: [HEAD_KEY],
  contentType: CONTENT_TYPE,
  conditional: false,
  notModifiedTag: false,
  cacheControl: NO_STORE,
  edgeSeconds: 1,
} as const satisfies FileRow;

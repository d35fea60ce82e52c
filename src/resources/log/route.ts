/** The files of the public log (docs/spec/log.md#files). Their keys are their paths. */
import { REVALIDATE } from "../../http/common-headers.ts";
import { FILE_RULES, type FileRow, IMMUTABLE } from "../../http/route.ts";

const LOG_RULES = {
  ...FILE_RULES,
  resource: "log",
  handler: "log",
  objects: [],
  contentType: null,
  conditional: false,
  notModifiedTag: false,
} as const;

/** A publisher may overwrite a full file beyond the checkpoint, so the edge does not keep it for a year. */
export const logTileFile = {
  ...LOG_RULES,
  name: "log-tile",
  path: "/log/{logTile}",
  parts: ["log/{logTile}"],
  cacheControl: IMMUTABLE,
  edgeSeconds: 3600,
} as const satisfies FileRow;

/** The checkpoint and the partial files, which a growing log replaces. */
export const logEndFile = {
  ...LOG_RULES,
  name: "log-end",
  path: "/log/{logEnd}",
  parts: ["log/{logEnd}"],
  cacheControl: REVALIDATE,
  edgeSeconds: 1,
} as const satisfies FileRow;

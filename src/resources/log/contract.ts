/** docs/spec/log.md#files */
import type { Contract } from "../contract.ts";

export const logCheckpointContract = {
  operation: "logCheckpoint",
  path: "/log/checkpoint",
  body: null,
  tag: "Files",
  summary: "The signed checkpoint of the log",
  description:
    "Three lines (origin, size, root) and their signatures. The entries and the hashes that prove them are files below " +
    "`/log/tile/`. OpenAPI cannot describe their paths, because an index has slashes: docs/spec/log.md#files",
  rules: [],
} as const satisfies Contract;

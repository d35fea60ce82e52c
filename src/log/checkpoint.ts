/**
 * The text of a checkpoint as C2SP's tlog-checkpoint requires it: which log, how many entries, and the root of their
 * tree. A signed checkpoint is this text as a note (`note.ts`).
 */
import { base64Bytes } from "../values/base64.ts";
import { printable } from "../values/printable.ts";
import { LogError } from "./log-error.ts";
import { hasControlCharacter } from "./note.ts";
import { HASH_BYTES } from "./tiles.ts";

export interface Checkpoint {
  /** The name of the log, such as `example.org/wheel/log`. */
  readonly origin: string;
  readonly size: number;
  /** SHA-256 in base64. */
  readonly root: string;
}

/** SHA-256 of nothing. */
const EMPTY_ROOT = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

/** Returns three lines, each with its newline. Throws `log_malformed` for a checkpoint that `parseCheckpoint` refuses. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  const text = `${origin}\n${size}\n${root}\n`;
  parseCheckpoint(text);
  return text;
}

/**
 * Parses the text of a checkpoint. The specification allows lines after the third. They are ignored, because no log of
 * Noonmark has one. Throws `log_malformed`.
 */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = "", decimal = "", root = "", ...extensions] = text.split("\n");
  if (extensions.pop() !== "") throw malformed("does not have three lines that end with a newline");
  if (extensions.includes("")) throw malformed("has an empty line");
  if (origin === "" || hasControlCharacter(text) || !text.isWellFormed()) {
    throw malformed(`has no valid origin in its first line: ${printable(JSON.stringify(origin))}`);
  }
  const size = Number(decimal);
  if (!/^(?:0|[1-9]\d{0,15})$/.test(decimal) || !Number.isSafeInteger(size)) {
    throw malformed(`has no valid size in its second line: ${printable(JSON.stringify(decimal))}`);
  }
  if (base64Bytes(root)?.length !== HASH_BYTES) {
    throw malformed(`has no hash in its third line: ${printable(JSON.stringify(root))}`);
  }
  if (size === 0 && root !== EMPTY_ROOT) throw malformed(`says that an empty log has the root ${root}`);
  return { origin, size, root };
}

function malformed(message: string): LogError {
  return new LogError("log_malformed", `the checkpoint ${message}`);
}

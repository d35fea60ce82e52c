/**
 * `noonmark/log`: reads the signed log of a deployment, and checks each byte of it with WebCrypto (docs/spec/log.md). It
 * runs where `noonmark/client` does.
 */
import type { Checkpoint } from "../log/checkpoint.ts";
import { LogError } from "../log/log-error.ts";
import { parseVerifierKey } from "../log/note.ts";
import { PublicLog, readCheckpoint } from "../log/public-log.ts";
import { baseAddress } from "./client.ts";
import type { ClientOptions } from "./create-client.ts";
import { fileReader } from "./exchange.ts";
import { NoonmarkError } from "./noonmark-error.ts";

export type { Checkpoint } from "../log/checkpoint.ts";
export type { LogErrorCode } from "../log/log-error.ts";
export { NoonmarkError, type NoonmarkErrorCode } from "./noonmark-error.ts";

export interface LogOptions extends ClientOptions {
  /** The verifier key that the operator gave you, `NAME+ID+DATA`. One of several is enough. */
  readonly key: string | readonly string[];
  /** An earlier checkpoint of this log: the log must still begin with its entries. */
  readonly since?: Checkpoint | undefined;
  /** Ends every read of the log. */
  readonly signal?: AbortSignal | undefined;
}

/** An accepted fact. */
export interface LogEntry {
  /** Counts from 0. */
  readonly index: number;
  /** Canonical JSON, exactly as it was hashed. */
  readonly text: string;
}

/** A log up to one checkpoint. Methods reject only with a `NoonmarkError`, whose code may be a `LogErrorCode`. */
export interface Log {
  /** Signed by `key`. Keep it, and give it as `since` the next time. */
  readonly checkpoint: Checkpoint;
  /** Yields the entries `from` to `to - 1`, each after its proof. Without bounds these are all entries. */
  entries(bounds?: { readonly from?: number; readonly to?: number }): AsyncGenerator<LogEntry, void, undefined>;
  /** True if the entry at this index has exactly this text. */
  includes(index: number, text: string): Promise<boolean>;
}

/**
 * Reads and checks the newest checkpoint. Throws a TypeError for wrong options, and a `NoonmarkError` with
 * `log_key_invalid`, `log_unsigned`, `log_malformed`, `log_incomplete`, `log_damaged`, `log_rewritten` or
 * `log_restarted`.
 */
export async function openLog({ key, since, ...options }: LogOptions): Promise<Log> {
  if (since !== undefined && !(Number.isSafeInteger(since.size) && since.size >= 0))
    throw new TypeError("since is no checkpoint of openLog");
  if (globalThis.crypto?.subtle === undefined) throw new TypeError("crypto.subtle is missing: use https");
  const read = fileReader(`${baseAddress(options.baseUrl)}/log/`, options);
  const [checkpoint, log] = await clientErrors(async () => {
    const known = await Promise.all([key].flat().map(parseVerifierKey));
    const checkpoint = await readCheckpoint(read, known);
    const log = new PublicLog(read, checkpoint);
    if (since !== undefined) await log.requirePrefix(since);
    return [checkpoint, log] as const;
  });
  return {
    checkpoint,
    entries: ({ from, to } = {}) => entriesOf(log, from, to),
    // The encoder would replace half of a surrogate pair, and no entry has one.
    includes: async (index, text) =>
      text.isWellFormed() && (await clientErrors(() => log.includes(index, new TextEncoder().encode(text)))),
  };
}

async function* entriesOf(log: PublicLog, from?: number, to?: number): AsyncGenerator<LogEntry, void, undefined> {
  const entries = log.entries(from, to);
  for (;;) {
    const { done, value } = await clientErrors(() => entries.next());
    if (done === true) return;
    yield value;
  }
}

async function clientErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LogError) throw new NoonmarkError(error.code, error.message, { cause: error });
    throw error;
  }
}

/**
 * Reads a published log for `noonmark ledger restore`: unproved from the operator's own store, or from anywhere with
 * the key that signs it. Nothing is yielded for writing before it is checked against the checkpoint.
 */
import { readHead } from "../../../publish/head/head.ts";
import { readEntries, readCheckpoint as readStoredCheckpoint } from "../../../publish/published-log.ts";
import { baseAddress } from "../../../src/client/client.ts";
import { fileReader } from "../../../src/client/exchange.ts";
import { NoonmarkError } from "../../../src/client/noonmark-error.ts";
import { type LogForm, logPrefix } from "../../../src/http/keys.ts";
import type { LoggedPosition } from "../../../src/ledger/intake/stream-position.ts";
import type { LogPoint } from "../../../src/ledger/log.ts";
import { LogError } from "../../../src/log/log-error.ts";
import { parseVerifierKey } from "../../../src/log/note.ts";
import { type Entry, type FileReader, PublicLog, readCheckpoint } from "../../../src/log/public-log.ts";
import { GrowingTree } from "../../../src/log/tree.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { Failure } from "../../../src/values/failure.ts";

/** A published log up to a size. Its functions throw `Failure` and `StoreUnavailable`. */
export interface LogSource extends LogPoint {
  /** True if the log begins with the entries of this point, whose size is not above the log's. */
  readonly beginsWith: (point: LogPoint) => Promise<boolean>;
  /** The stored position in the stream that the published facts came from; undefined if none is known. */
  readonly stream?: LoggedPosition | undefined;
  /** May be called after `beginsWith`. */
  readonly entries: (from: number) => AsyncIterable<Entry>;
}

/**
 * Opens the log of a store: up to the head's size, whose files were stored before the head said so. With a verifier key
 * it is the public one, up to its checkpoint. Throws `Failure` never_published, log_damaged, log_unsigned.
 */
export async function storedLog(store: ObjectStore, key: string | undefined): Promise<LogSource> {
  // The head is read first, so that the position is not above the checkpoint.
  const head = (await readHead(store))?.head;
  const log = key === undefined ? await unprovedLog(store, head?.log) : await provedLog(filesIn(store), key);
  const stream = head?.stream ?? undefined;
  return stream !== undefined && stream.size <= log.size ? { ...log, stream } : log;
}

function filesIn(store: ObjectStore): FileReader {
  return async (path) => (await store.get(logPrefix("public") + path, { fresh: true }))?.body;
}

/**
 * Opens the public log that is served below a URL. Throws `Failure` never_published, log_damaged, log_unsigned,
 * unreachable.
 */
export function servedLog(url: URL, key: string): Promise<LogSource> {
  return provedLog(fileReader(`${baseAddress(url)}/log/`), key);
}

async function provedLog(read: FileReader, key: string): Promise<LogSource> {
  return asFailure(async () => {
    const checkpoint = await readCheckpoint(read, [await parseVerifierKey(key)]);
    const log = new PublicLog(read, checkpoint);
    const { origin, size, root } = checkpoint;
    return {
      size,
      root,
      beginsWith: (point) =>
        asFailure(async () => {
          try {
            await log.requirePrefix({ origin, ...point });
            return true;
          } catch (error) {
            if (error instanceof LogError && error.code === "log_rewritten") return false;
            throw error;
          }
        }),
      entries: (from) => provedEntries(log, from),
    };
  });
}

async function* provedEntries(log: PublicLog, from: number): AsyncGenerator<Entry> {
  const entries = log.entries(from);
  for (;;) {
    const { done, value } = await asFailure(() => entries.next());
    if (done === true) return;
    yield value;
  }
}

async function asFailure<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof NoonmarkError || cause instanceof SyntaxError) {
      throw new Failure("unreachable", cause.message, { cause });
    }
    if (!(cause instanceof LogError)) throw cause;
    const { code, message } = cause;
    if (code === "log_key_invalid") {
      throw new Failure("log_key_invalid", message, {
        hint: "Give the verifier key, NAME+ID+DATA, in quotes. Its operator prints it: noonmark key show FILE",
        cause,
      });
    }
    throw code === "log_unsigned" || code === "log_restarted"
      ? new Failure("log_unsigned", message, { cause })
      : new Failure("log_damaged", message, {
          hint: "Nothing wrong was written. Restore from another copy of the log.",
          cause,
        });
  }
}

type StoredLog = LogPoint & { readonly form: LogForm };

async function unprovedLog(store: ObjectStore, published: StoredLog | undefined): Promise<LogSource> {
  const log = published ?? (await checkpointOf(store));
  if (log === undefined || log.size === 0) {
    throw new Failure("never_published", `${store.name} has no log`, { hint: "Name the store that was published to." });
  }
  const entries = (from: number) => numbered(readEntries(store, log, from), from);
  return {
    size: log.size,
    root: log.root,
    // The entries are read twice, because only all of them together have the checkpoint's root.
    async beginsWith(point) {
      const tree = new GrowingTree();
      let begins = point.size === 0;
      for await (const { text } of entries(0)) {
        tree.append(text);
        if (tree.size === point.size) begins = tree.root().toString("base64") === point.root;
      }
      if (tree.root().toString("base64") === log.root) return begins;
      const says = "the stored entries do not have the published root";
      throw new Failure("log_damaged", says);
    },
    entries,
  };
}

/** If the head is lost, the checkpoint says how far the log goes. */
async function checkpointOf(store: ObjectStore): Promise<StoredLog | undefined> {
  for (const form of ["public", "private"] as const) {
    const found = await readStoredCheckpoint(store, form);
    if (found !== undefined) return { ...found, form };
  }
  return undefined;
}

async function* numbered(texts: AsyncIterable<string>, from: number): AsyncGenerator<Entry> {
  let index = from;
  for await (const text of texts) yield { index: index++, text };
}

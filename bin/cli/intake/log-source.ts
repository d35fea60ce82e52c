/**
 * Where `noonmark ledger restore` reads a published log: unproved from the operator's own store, or from anywhere with the key
 * that signs it. Nothing is yielded for writing before it is checked against the checkpoint.
 */
import {
  publishedLogNumber,
  readEntries,
  readCheckpoint as readStoredCheckpoint,
} from "../../../publish/published-log.ts";
import { readPublishedPosition } from "../../../publish/status/private-status.ts";
import { baseAddress } from "../../../src/client/client.ts";
import { fileReader, jsonOf } from "../../../src/client/exchange.ts";
import { NoonmarkError } from "../../../src/client/noonmark-error.ts";
import { parseIndex } from "../../../src/http/installations.ts";
import { checkpointKey, INSTALLATIONS_KEY, logPrefix, PUBLIC_LOGS, STATUS_KEY } from "../../../src/http/keys.ts";
import type { LoggedPosition } from "../../../src/ledger/intake/stream-position.ts";
import type { LogPoint } from "../../../src/ledger/log.ts";
import { LogError } from "../../../src/log/log-error.ts";
import { parseVerifierKey } from "../../../src/log/note.ts";
import { type Entry, type FileReader, PublicLog, readCheckpoint } from "../../../src/log/public-log.ts";
import { GrowingTree } from "../../../src/log/tree.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { Failure } from "../../../src/values/failure.ts";
import { fieldsOf } from "../../../src/values/unknown.ts";
import { readParsed } from "../configured-store.ts";
import { progressBar, ratePerSecond } from "../progress.ts";

/** A published log up to a checkpoint. Its functions throw `Failure` and `StoreUnavailable`. */
export interface LogSource extends LogPoint {
  readonly number: number;
  /** True if the log begins with the entries of this point, whose size is not above the log's. */
  readonly beginsWith: (point: LogPoint) => Promise<boolean>;
  /** The stored position in the stream that the published facts came from; undefined if none is known. */
  readonly stream?: LoggedPosition | undefined;
  /** May be called after `beginsWith`. */
  readonly entries: (from: number) => AsyncIterable<Entry>;
}

/** Opens the log of a store. With a verifier key it is the public one. Throws `Failure` never_published, log_damaged, log_unsigned. */
export async function storedLog(
  store: ObjectStore,
  { key, ...given }: { readonly number: number | undefined; readonly key: string | undefined },
): Promise<LogSource> {
  const number = given.number ?? (await currentLog(store));
  if (number === undefined) {
    throw new Failure("never_published", `${store.name} has no index of installations, which names the log`, {
      hint: "Name the store that was published to. If only its index is lost, name the log: --log 1",
    });
  }
  // The position is read first, so it is not above the checkpoint.
  const stream = await readPublishedPosition(store);
  const prefix = logPrefix(PUBLIC_LOGS, number);
  const log =
    key === undefined
      ? await unprovedLog(store, number)
      : await provedLog(async (path) => (await store.get(prefix + path, { fresh: true }))?.body, key, number);
  return stream?.log === number && stream.size <= log.size ? { ...log, stream } : log;
}

async function currentLog(store: ObjectStore): Promise<number | undefined> {
  const index = await readParsed(store, INSTALLATIONS_KEY, parseIndex);
  return index && publishedLogNumber(store, index);
}

/** Opens the public log that is served below a URL. Throws `Failure` never_published, log_damaged, log_unsigned, unreachable. */
export async function servedLog(url: URL, key: string, given: number | undefined): Promise<LogSource> {
  const base = baseAddress(url);
  const number = given ?? (await asFailure(() => currentNumber(base)));
  return provedLog(fileReader(`${base}/log/${number}/`), key, number);
}

async function currentNumber(base: string): Promise<number> {
  const bytes = await fileReader(`${base}/`)(STATUS_KEY);
  const { log } = fieldsOf(bytes && jsonOf(bytes));
  const { number } = fieldsOf(log);
  if (typeof number === "number") return number;
  throw new Failure("never_published", `${base}/${STATUS_KEY} names no log`, {
    hint: "Check the address, or name the log: --log 1",
  });
}

async function provedLog(read: FileReader, key: string, number: number): Promise<LogSource> {
  return asFailure(async () => {
    const checkpoint = await readCheckpoint(read, [await parseVerifierKey(key)], number);
    const log = new PublicLog(read, checkpoint);
    const { origin, size, root } = checkpoint;
    return {
      number,
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
      entries: (from) => counted("read", size, provedEntries(log, from)),
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

async function unprovedLog(store: ObjectStore, number: number): Promise<LogSource> {
  const log = await readStoredCheckpoint(store, number);
  if (log === undefined) {
    throw new Failure(
      "log_damaged",
      `the checkpoint of log ${number} is missing, so nobody knows which entries are whole`,
      {
        hint: "Check the store and --log. A publisher whose ledger has these facts writes it again: noonmark publish --once",
      },
    );
  }
  const entries = (done: string, from: number) =>
    counted(done, log.size, numbered(readEntries(store, log, from), from));
  return {
    ...log,
    // The entries are read twice, because only all of them together have the checkpoint's root.
    async beginsWith(point) {
      const tree = new GrowingTree();
      let begins = point.size === 0;
      for await (const { text } of entries("checked", 0)) {
        tree.append(text);
        if (tree.size === point.size) begins = tree.root().toString("base64") === point.root;
      }
      if (tree.root().toString("base64") === log.root) return begins;
      const says = `the entries of log ${number} do not have the root of ${checkpointKey(log.place, number)}`;
      throw new Failure("log_damaged", says);
    },
    entries: (from) => entries("written", from),
  };
}

async function* numbered(texts: AsyncIterable<string>, from: number): AsyncGenerator<Entry> {
  let index = from;
  for await (const text of texts) yield { index: index++, text };
}

const ENTRIES_PER_STEP = 1024;

/** Shows on a terminal how many of the log's entries are done. */
async function* counted(done: string, size: number, entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  const progress = progressBar(process.stderr, `{bar} {percentage}% | {value} entries ${done} | {rate}/s`);
  const start = performance.now();
  let count = 0;
  try {
    for await (const entry of entries) {
      yield entry;
      if (++count % ENTRIES_PER_STEP === 0) progress.show(entry.index, size, { rate: ratePerSecond(count, start) });
    }
  } finally {
    progress.stop();
  }
}

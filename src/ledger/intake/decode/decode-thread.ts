/**
 * Decodes NDJSON in a worker thread, so that a bulk ingest uses two processors: the worker splits, parses and checks
 * lines and hashes receipts, while the main thread writes to the ledger. Pieces arrive in input order and equal those
 * of `LineDecoder`. Receipts are sent as columns, because cloning each object would cost as much as the thread saves.
 */
import { on } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { FactHash } from "../accept/fact-hash.ts";
import { type Fault, isFault } from "../fault.ts";
import type { IntakeRecord, RecordOf } from "../record-types.ts";
import { type DecodedLine, type DecodedPiece, LineDecoder } from "./decode-lines.ts";

/** Size of one message. Longer strings would survive many garbage collections and let memory grow. */
const PART_BYTES = 64 * 1024;
/** Parts in flight, so that the main thread always has one to write. */
const PARTS_AHEAD = 8;
/** The worker's young generation in MB. A small one is enough because each part is garbage once it is sent. */
const YOUNG_MB = 4;
/** Identifies this worker among threads that may load this file. */
const THREAD = "noonmark-decode";

/**
 * Yields the decoded pieces of the chunks; a chunk's buffer may be reused when the next chunk is requested.
 * `judgesFuture` rejects instants ahead of the clock (docs/spec/intake.md#future). Throws errors of `chunks` and of the
 * thread.
 */
export async function* decodeInThread(
  chunks: AsyncIterable<Uint8Array>,
  { judgesFuture }: { readonly judgesFuture: boolean },
): AsyncGenerator<DecodedPiece> {
  const thread = new Worker(new URL(import.meta.url), {
    workerData: { thread: THREAD, judgesFuture },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const messages = on(thread, "message");
  const next = async () => unpacked((await messages.next()).value?.[0] as Packed);
  let waiting = 0;
  try {
    for await (const chunk of chunks) {
      for (let start = 0; start < chunk.length; start += PART_BYTES) {
        // Copy instead of transferring: transferring a buffer of this size costs more.
        thread.postMessage(Uint8Array.prototype.slice.call(chunk, start, start + PART_BYTES), []);
        if (++waiting < PARTS_AHEAD) continue;
        yield await next();
        waiting--;
      }
    }
    thread.postMessage("end", []);
    for (; waiting >= 0; waiting--) yield await next();
  } finally {
    await thread.terminate();
  }
}

type Receipt = RecordOf<"receipt">;
/** The fields that many receipts share. */
type Common = Omit<Receipt, (typeof OWN)[number]>;
const OWN = [
  "type",
  "telemetryId",
  "cumulativeWorkUnits",
  "sequence",
  "observedAt",
  "receivedAt",
  "rpmMilli",
  "speedMmPerSecond",
  "distanceMm",
] as const;

/** The form in which a piece is sent to the main thread. */
interface Packed extends Pick<DecodedPiece, "bytes" | "lineCount"> {
  /** All lines without their line ends, concatenated. */
  readonly raw: string;
  /** For each line: its number, its length in `raw`, and its index in `commons`, or OTHER. */
  readonly places: Uint32Array;
  /** For each receipt: its numeric fields and the halves of its hash. */
  readonly numbers: Float64Array;
  /** For each receipt: telemetryId and cumulativeWorkUnits. */
  readonly texts: string;
  readonly commons: readonly Common[];
  /** The results of all other lines, in order. */
  readonly others: readonly (IntakeRecord | Fault)[];
}

const OTHER = 0xffffffff;
const NUMBERS = 8;

function packed({ lines, bytes, lineCount }: DecodedPiece, hash: FactHash): Packed {
  const places = new Uint32Array(3 * lines.length);
  const numbers: number[] = [];
  const [raws, texts, commons, others]: [string[], string[], Common[], (IntakeRecord | Fault)[]] = [[], [], [], []];
  let last: Common | undefined;
  lines.forEach(({ line, raw, record }, index) => {
    raws.push(raw);
    const isReceipt = !isFault(record) && record.type === "receipt";
    if (isReceipt) {
      if (last === undefined || !isCommon(last, record)) commons.push((last = commonOf(record)));
      const { sequence, observedAt, receivedAt, rpmMilli, speedMmPerSecond, distanceMm } = record;
      const { high, low } = hash.of(record);
      numbers.push(sequence, observedAt, receivedAt, rpmMilli, speedMmPerSecond, distanceMm, high, low);
      texts.push(record.telemetryId, record.cumulativeWorkUnits);
    } else {
      others.push(record);
    }
    places.set([line, raw.length, isReceipt ? commons.length - 1 : OTHER], 3 * index);
  });
  const [raw, words] = [raws.join(""), texts.join("\n")];
  return { bytes, lineCount, raw, places, numbers: Float64Array.from(numbers), texts: words, commons, others };
}

function unpacked({ bytes, lineCount, raw, places, numbers, texts, commons, others }: Packed): DecodedPiece {
  const lines: DecodedLine[] = [];
  const words = texts.split("\n");
  let [start, receipts, other] = [0, 0, 0];
  for (let index = 0; index < places.length; index += 3) {
    const [line, length, kind] = [places[index] as number, places[index + 1] as number, places[index + 2] as number];
    const text = raw.slice(start, (start += length));
    if (kind === OTHER) {
      lines.push({ line, raw: text, record: others[other++] as IntakeRecord | Fault });
      continue;
    }
    const at = NUMBERS * receipts;
    const record: Receipt = {
      type: "receipt",
      ...(commons[kind] as Common),
      telemetryId: words[2 * receipts] as string,
      cumulativeWorkUnits: words[2 * receipts + 1] as string,
      sequence: numbers[at] as number,
      observedAt: numbers[at + 1] as number,
      receivedAt: numbers[at + 2] as number,
      rpmMilli: numbers[at + 3] as number,
      speedMmPerSecond: numbers[at + 4] as number,
      distanceMm: numbers[at + 5] as number,
    };
    const hash = { high: numbers[at + 6] as number, low: numbers[at + 7] as number };
    lines.push({ line, raw: text, record, hash });
    receipts++;
  }
  return { bytes, lineCount, lines };
}

function commonOf(receipt: Receipt): Common {
  const { installationId, bootId, counterEpoch, provenance, softwareVersion, coreStatus } = receipt;
  return { installationId, bootId, counterEpoch, provenance, softwareVersion, coreStatus };
}

function isCommon(common: Common, receipt: Receipt): boolean {
  return (Object.keys(common) as (keyof Common)[]).every((name) => common[name] === receipt[name]);
}

/** Runs in the worker: replies to each part with a message, and to the end with one. */
function serve(judgesFuture: boolean): void {
  const decoder = new LineDecoder(judgesFuture ? () => Date.now() : undefined);
  const hash = new FactHash();
  parentPort?.on("message", (message: Uint8Array | "end") => {
    if (message !== "end") decoder.write(message);
    parentPort?.postMessage(packed(decoder.take(message === "end"), hash), []);
  });
}

const started = workerData as { readonly thread?: string; readonly judgesFuture: boolean } | null;
if (!isMainThread && started?.thread === THREAD) serve(started.judgesFuture);

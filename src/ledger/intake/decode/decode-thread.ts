/**
 * Decodes NDJSON in a thread of its own, so that a bulk ingest uses two processors: this thread splits, parses and checks
 * the lines and hashes the receipts, the other one writes them to the ledger. The pieces come in the order of the input,
 * and are what `LineDecoder` gives. Receipts are sent in columns: copying each as an object would cost what is saved.
 */
import { on } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { FactHash } from "../accept/fact-hash.ts";
import { type Fault, isFault } from "../fault.ts";
import type { IntakeRecord, RecordOf } from "../record-types.ts";
import { type DecodedLine, type DecodedPiece, LineDecoder } from "./decode-lines.ts";

/** Size of one message. Longer strings survive many garbage collections, so that memory would not be flat. */
const PART_BYTES = 64 * 1024;
/** Parts that are under way at once: the other thread always has one to write. */
const PARTS_AHEAD = 8;
/** A part is garbage once it is sent. */
const YOUNG_MB = 4;
/** Distinguishes this thread from any other that may load this file. */
const THREAD = "noonmark-decode";

/**
 * The pieces of a sequence of chunks; a chunk may be used again once the next is asked for. `judgesFuture`: instants must
 * not be ahead of the clock (docs/spec/intake.md#future). Throws what `chunks` throws, and if the thread fails.
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
        // Copied, and not transferred: to transfer a buffer costs more than to copy as many bytes.
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
/** The texts that many receipts have in common. */
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

/** A piece as it is sent. */
interface Packed extends Pick<DecodedPiece, "bytes" | "lineCount"> {
  /** All lines without their ends, one after the other. */
  readonly raw: string;
  /** For each line: its number, its length in `raw`, and its kind: a place in `commons`, or OTHER. */
  readonly places: Uint32Array;
  /** For each receipt: its numbers, and the halves of its hash. */
  readonly numbers: Float64Array;
  /** For each receipt: telemetryId and cumulativeWorkUnits. */
  readonly texts: string;
  readonly commons: readonly Common[];
  /** The lines that are no receipts, in their order. */
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

/** This thread's side: a message for each part, and one for the end. */
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

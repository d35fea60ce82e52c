/**
 * `noonmark verify --replay`: computes the bodies that a deployment serves again, from nothing but its signed log and the
 * reader's nodes, and compares them byte for byte (docs/spec/log.md#replay).
 */
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { NoonmarkError, openLog } from "../../client/log.ts";
import { packageVersion } from "../../files/package-file.ts";
import { publicationStatusSchema } from "../../resources/publication-status/contract.ts";
import type { PublicResponse } from "../../resources/publication-status/public-record.ts";
import { header, jsonOf, type Reply, seenReply, strongTag, type Transport } from "../exchange.ts";
import type { Report } from "../report.ts";
import { type LaggedCheck, THE_LOG } from "./check.ts";
import { type Comparison, Rebuilt, type ServedDeployment } from "./rebuilt.ts";

/** The responses that the log alone gives. */
const REPLAYED = /^\/v1\/public\/(?:telemetry|modules)$|^\/v2\/public\/stats\?range=\w+$/;

/** A served response, and what `/status.json` said of it before and after it was read. */
interface Sample {
  readonly url: string;
  readonly reply: Reply;
  readonly records: readonly PublicResponse[];
}

/** A response may change while it is read. So what differs is read again, so many times. */
const ATTEMPTS = 3;

/** Returns lines for people. Throws `Failure` log_not_replayable, `NoonmarkError`, and what `send` throws. */
export async function replay(report: Report, check: LaggedCheck, send: Transport): Promise<readonly string[]> {
  const { base, keys, signal } = check;
  const lines: string[] = [];
  let left: ReadonlySet<string> | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS && left?.size !== 0; attempt++) {
    const { deployment, samples } = await sample(report, send, left, check);
    const log = await openLog({ baseUrl: base, key: keys, signal });
    const sources = await Rebuilt.open(deployment, log, check);
    try {
      const found = await compareAll(samples, sources);
      left = new Set([...found].flatMap(([url, { kind }]) => (kind === "different" ? [url] : [])));
      conclude(
        report,
        [...found].filter(([url]) => attempt === ATTEMPTS || left?.has(url) === false),
      );
      if (attempt === 1 && check.rpcUrls !== undefined) lines.push(...(await reconcileAll(report, sources)));
    } finally {
      sources.close();
    }
  }
  return lines;
}

/** Compares each response at the states that it may have, in the order of their publication. */
async function compareAll(samples: readonly Sample[], sources: Rebuilt): Promise<ReadonlyMap<string, Comparison>> {
  const unsaid = { kind: "different", seen: "a response of which status.json says nothing" } as const;
  const found = new Map<string, Comparison>(samples.map(({ url }) => [url, unsaid]));
  const states = samples.flatMap(({ url, reply, records }) => records.map((record) => ({ url, reply, record })));
  states.sort((one, other) => Date.parse(one.record.asOf) - Date.parse(other.record.asOf));
  for (const { url, reply, record } of states) {
    if (found.get(url)?.kind !== "same") found.set(url, await sources.compare(url, record, reply));
  }
  return found;
}

function conclude(report: Report, found: readonly (readonly [url: string, comparison: Comparison])[]): void {
  const unknown = new Map<string, string[]>();
  for (const [url, comparison] of found) {
    if (comparison.kind === "unknown") unknown.set(comparison.why, [...(unknown.get(comparison.why) ?? []), url]);
    else {
      const seen = comparison.kind === "different" ? comparison.seen : "";
      report.on(`GET ${url}`)("log/replayed", comparison.kind === "same", "the body that the log gives", seen);
    }
  }
  for (const [why, [first, ...others]] of unknown) {
    const which = others.length === 0 ? first : `${first} and ${others.length} other responses`;
    report.skip("log/replayed", `not_replayed: ${which}: ${why}`);
  }
}

async function reconcileAll(report: Report, sources: Rebuilt): Promise<string[]> {
  const found = await sources.reconciled();
  if (found === undefined) {
    report.skip("log/reconciled", "not_replayed: no block of the chain was read");
    return [];
  }
  const { batches, unknown, differences } = found;
  const seen = `${differences.length} differences, first ${differences[0]}`;
  report.on(THE_LOG)("log/reconciled", differences.length === 0, "in each batch the work of its rounds", seen);
  const compared = batches - unknown;
  if (unknown > 0) {
    report.skip("log/reconciled", `not_replayed: the log lacks rounds of ${unknown} of the ${batches} settled batches`);
  }
  return [
    `The chain has settled ${batches} batches, and ${compared} of them were compared with the rounds of the log.`,
  ];
}

const deploymentSchema = z.looseObject({
  installationId: z.string(),
  genesisTimestamp: z.int().nonnegative().nullable(),
  deployment: z.unknown(),
});

const READS = 15;
/** A body that says nothing of its state counts as one of the last few. */
const FEWEST_READS = 3;

/**
 * Reads bodies and status until their ETags agree: the status is renewed every few seconds only, and a cache may serve a
 * body some seconds longer. Throws `NoonmarkError` log_malformed for a status or deployment of another form.
 */
async function sample(
  report: Report,
  send: Transport,
  only: ReadonlySet<string> | undefined,
  { signal, lagMs, rpcUrls }: LaggedCheck,
): Promise<{ readonly deployment: ServedDeployment; readonly samples: readonly Sample[] }> {
  const get = (target: string) => send({ method: "GET", target, headers: { "accept-encoding": "identity" } });
  const read = async <Schema extends z.ZodType>(target: string, schema: Schema) => {
    const reply = await get(target);
    const { data } = schema.safeParse(jsonOf(reply));
    if (data === undefined)
      throw new NoonmarkError("log_malformed", `${target} is ${seenReply(reply)}, of another form`);
    return data;
  };
  const deployment = await read("/deployment.json", deploymentSchema);
  const isWhole = rpcUrls !== undefined || deployment.deployment === null;
  const isWanted = (url: string) => only?.has(url) ?? (isWhole || REPLAYED.test(url));
  const urls = Object.keys((await read("/status.json", publicationStatusSchema)).responses).filter(isWanted);
  const seen = new Map(urls.map((url) => [url, new Seen()]));
  for (let times = 0; times < READS; times++) {
    for (const [url, one] of seen) one.reply(await get(url));
    const { responses } = await read("/status.json", publicationStatusSchema);
    for (const [url, one] of seen) one.record(responses[url]);
    if (times >= FEWEST_READS && [...seen.values()].every(({ hasPair }) => hasPair)) break;
    await wait(lagMs / READS, undefined, { signal });
  }
  const samples = [...seen].flatMap(([url, one]) => one.sample(url) ?? []);
  const own = packageVersion();
  const isOwn = ({ url, records }: Sample) => {
    const other = records.find(({ program }) => program !== own);
    if (other === undefined) return true;
    report.skip("log/replayed", `not_replayed: ${url} was computed by version ${other.program}, and this is ${own}`);
    return false;
  };
  return { deployment, samples: samples.filter(isOwn) };
}

/** A foreign server chooses lengths. So bodies of one URL besides the newest two are kept up to this limit. */
const OLDER_BODIES_BYTES = 1 << 20;

/** The responses that were read of one URL. */
class Seen {
  /** The newest body of each state, by the tag of the state, in order. */
  readonly #replies = new Map<string, Reply>();
  readonly #records = new Map<string, PublicResponse>();
  #newest: Reply | undefined;

  reply(reply: Reply): void {
    this.#newest = reply;
    const tag = stateTag(reply);
    if (tag === undefined) return;
    this.#replies.delete(tag);
    this.#replies.set(tag, reply);
    const older = [...this.#replies].slice(0, -2);
    let bytes = older.reduce((sum, [, { body }]) => sum + body.length, 0);
    for (const [oldest, { body }] of older) {
      if (bytes <= OLDER_BODIES_BYTES) break;
      bytes -= body.length;
      this.#replies.delete(oldest);
    }
  }

  record(record: PublicResponse | undefined): void {
    if (record !== undefined) this.#records.set(JSON.stringify(record), record);
  }

  /** True if a body and a record are of the same state, or if the body says nothing of its state. */
  get hasPair(): boolean {
    return this.#pair() !== undefined || (this.#newest !== undefined && stateTag(this.#newest) === undefined);
  }

  /** Without a pair, the newest body is compared with all states. Time alone may have changed its ETag. */
  sample(url: string): Sample | undefined {
    const pair = this.#pair();
    if (pair !== undefined) return { url, ...pair };
    return this.#newest && { url, reply: this.#newest, records: [...this.#records.values()] };
  }

  #pair(): Pick<Sample, "reply" | "records"> | undefined {
    for (const record of this.#records.values()) {
      for (const tag of tagsOf(record)) {
        const reply = this.#replies.get(tag);
        if (reply !== undefined) return { reply, records: [record] };
      }
    }
    return undefined;
  }
}

/** Returns what a response says of its state: its ETag, or else its instant or its block. Keeps no parsed body. */
function stateTag(reply: Reply): string | undefined {
  const etag = header(reply, "etag");
  if (etag !== undefined) return strongTag(etag);
  const text = Buffer.from(reply.body).toString();
  return /"generatedAt":"([^"]{1,30})"/.exec(text)?.[1] ?? /"safeThroughBlock":"(\d{1,30})"/.exec(text)?.[1];
}

/** Returns the tags that a response of this state may have. */
function tagsOf({ etag, asOf, safeBlock }: PublicResponse): readonly string[] {
  if (etag !== null) return [strongTag(etag)];
  return safeBlock === null ? [asOf] : [asOf, safeBlock.number];
}

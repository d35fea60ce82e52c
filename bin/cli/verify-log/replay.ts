/**
 * `noonmark verify --replay`: computes the bodies that a deployment serves again, from nothing but its signed log and the
 * reader's nodes, and compares them byte for byte (docs/spec/log.md#replay).
 */
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { NoonmarkError, openLog } from "../../../src/client/log.ts";
import { packageVersion } from "../../../src/files/package-file.ts";
import { header, jsonOf, type Reply, strongTag, type Transport } from "../../../src/judge/exchange.ts";
import type { Report } from "../../../src/judge/report.ts";
import { publicationStatusSchema } from "../../../src/resources/publication-status/contract.ts";
import type { PublicResponse } from "../../../src/resources/publication-status/public-record.ts";
import { fieldsOf } from "../../../src/values/unknown.ts";
import type { LogCheck } from "./log-check.ts";
import { LOG, LOG_SUBJECT } from "./log-rules.ts";
import { type Comparison, Rebuilt, type ServedDeployment } from "./rebuilt.ts";

/** The responses that the log alone gives. */
const REPLAYED = /^\/v1\/public\/(?:telemetry|modules)$|^\/v2\/public\/stats\?/;

/** A served response, and what `/status.json` said of it before and after it was read. */
interface Sample {
  readonly url: string;
  readonly reply: Reply;
  readonly records: readonly PublicResponse[];
}

interface Sampled {
  readonly deployment: ServedDeployment;
  readonly samples: readonly Sample[];
}

/** A response may change while it is read. So what differs is read again, so many times. */
const ATTEMPTS = 3;

/** Returns lines for people. Throws `Failure` log_not_replayable, `NoonmarkError`, and what `send` throws. */
export async function replay(report: Report, check: LogCheck, send: Transport): Promise<readonly string[]> {
  const lines: string[] = [];
  let left: ReadonlySet<string> | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { deployment, samples } = await sample(report, send, left, check);
    const log = await openLog({ baseUrl: check.base, key: check.keys, signal: check.signal });
    const sources = await Rebuilt.open(deployment, log, check);
    try {
      const found = await compareAll(samples, sources);
      const isLast = attempt === ATTEMPTS;
      left = new Set(samples.map(({ url }) => url).filter((url) => found.get(url)?.is === "different"));
      conclude(
        report,
        [...found].filter(([url]) => isLast || left?.has(url) === false),
      );
      if (attempt === 1 && check.rpcUrls !== undefined) lines.push(...(await reconcileAll(report, sources)));
    } finally {
      sources.close();
    }
    if (left.size === 0) break;
  }
  return lines;
}

/** Compares each response at the states that it may have, in the order of their publication. */
async function compareAll(samples: readonly Sample[], sources: Rebuilt): Promise<ReadonlyMap<string, Comparison>> {
  const found = new Map<string, Comparison>();
  for (const { url } of samples)
    found.set(url, { is: "different", saw: "a response of which status.json says nothing" });
  const states = samples.flatMap(({ url, reply, records }) => records.map((record) => ({ url, reply, record })));
  states.sort((one, other) => Date.parse(one.record.asOf) - Date.parse(other.record.asOf));
  for (const { url, reply, record } of states) {
    if (found.get(url)?.is !== "same") found.set(url, await sources.compare(url, record, reply));
  }
  return found;
}

function conclude(report: Report, found: readonly (readonly [url: string, comparison: Comparison])[]): void {
  for (const [url, comparison] of found) {
    if (comparison.is === "unknown") continue;
    report.check(LOG.replayed, { ...LOG_SUBJECT, name: url }, comparison.is === "same", () => ({
      expected: "the body that the log gives",
      saw: comparison.is === "different" ? comparison.saw : "",
    }));
  }
  const unknown = Map.groupBy(found, ([, comparison]) => (comparison.is === "unknown" ? comparison.why : undefined));
  for (const [why, [[first] = [""], ...others]] of unknown) {
    if (why === undefined) continue;
    const which = others.length === 0 ? first : `${first} and ${others.length} other responses`;
    report.skip(LOG.replayed, `not_replayed: ${which}: ${why}`);
  }
}

async function reconcileAll(report: Report, sources: Rebuilt): Promise<string[]> {
  const found = await sources.reconciled();
  if (found === undefined) {
    report.skip(LOG.reconciled, "not_replayed: no block of the chain was read");
    return [];
  }
  const { batches, unknown, differences } = found;
  report.check(LOG.reconciled, LOG_SUBJECT, differences.length === 0, () => ({
    expected: "in each settled batch the work of its rounds in the log",
    saw: `${differences.length} differences, first ${differences[0]}`,
  }));
  if (unknown > 0) {
    report.skip(LOG.reconciled, `not_replayed: the log lacks rounds of ${unknown} of the ${batches} settled batches`);
  }
  return [
    `The chain has settled ${batches} batches, and ${batches - unknown} of them were compared with the rounds of the log.`,
  ];
}

const deploymentSchema = z.looseObject({
  installationId: z.string(),
  genesisTimestamp: z.int().nonnegative().nullable(),
  deployment: z.unknown(),
});

type Status = z.infer<typeof publicationStatusSchema>;

/**
 * Reads bodies and status until their ETags agree: the status is renewed every few seconds only, and a cache may serve a body some
 * seconds longer.
 */
async function sample(
  report: Report,
  send: Transport,
  only: ReadonlySet<string> | undefined,
  { signal, lagMs, rpcUrls }: LogCheck,
): Promise<Sampled> {
  const get = (target: string) => send({ method: "GET", target, headers: { "accept-encoding": "identity" } });
  const read = async () => publicationStatusSchema.parse(jsonOf(await get("/status.json")));
  const { data: deployment } = deploymentSchema.safeParse(jsonOf(await get("/deployment.json")));
  if (deployment === undefined) throw new NoonmarkError("log_incomplete", NO_DEPLOYMENT);
  const isWhole = rpcUrls !== undefined || deployment.deployment === null;
  const isWanted = (url: string) => only?.has(url) ?? (isWhole || REPLAYED.test(url));
  const urls = Object.keys((await read()).responses).filter(isWanted);
  const seen = new Map(urls.map((url) => [url, new Seen()]));
  for (let times = 0; times < READS; times++) {
    for (const url of urls) seen.get(url)?.reply(await get(url));
    const { responses } = await read();
    for (const url of urls) seen.get(url)?.record(responses[url]);
    if (times >= FEWEST_READS && [...seen.values()].every(({ hasPair }) => hasPair)) break;
    await wait(lagMs / READS, undefined, { signal });
  }
  const samples = [...seen]
    .flatMap(([url, of]) => of.sample(url) ?? [])
    .filter(({ url, records }) => {
      const other = records.find(({ program }) => program !== packageVersion());
      if (other === undefined) return true;
      const why = `not_replayed: ${url} was computed by version ${other.program}, and this is ${packageVersion()}`;
      report.skip(LOG.replayed, why);
      return false;
    });
  return { deployment, samples };
}

const NO_DEPLOYMENT = "/deployment.json has not the settings with which the bodies were computed";

const READS = 15;
/** A body that says nothing of its state counts as one of the last few. */
const FEWEST_READS = 3;

/** What was read of one URL. */
class Seen {
  /** The newest body of each state, by the tag of the state. */
  readonly #replies = new Map<string, Reply>();
  readonly #records = new Map<string, PublicResponse>();
  #newest: Reply | undefined;

  reply(reply: Reply): void {
    this.#newest = reply;
    const tag = tagOf(reply);
    if (tag !== undefined) this.#replies.set(tag, reply);
  }

  record(record: Status["responses"][string] | undefined): void {
    if (record !== undefined) this.#records.set(JSON.stringify(record), record);
  }

  /** True if a body and a record are of the same state, or if the body says nothing of its state. */
  get hasPair(): boolean {
    return this.#pair() !== undefined || (this.#newest !== undefined && tagOf(this.#newest) === undefined);
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

/** Returns what a response says of its state: its ETag, or else its instant or its block. */
function tagOf(reply: Reply): string | undefined {
  const etag = header(reply, "etag");
  if (etag !== undefined) return strongTag(etag);
  const { generatedAt, chain } = fieldsOf(jsonOf(reply));
  const tag = generatedAt ?? fieldsOf(chain).safeThroughBlock;
  return typeof tag === "string" ? tag : undefined;
}

/** Returns the tags that a response of this state may have. */
function tagsOf({ etag, asOf, safeBlock }: PublicResponse): readonly string[] {
  if (etag !== null) return [strongTag(etag)];
  return safeBlock === null ? [asOf] : [asOf, safeBlock.number];
}

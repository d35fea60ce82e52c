/**
 * `noonmark verify --replay`: computes the bodies that a deployment serves again, from nothing but its signed log, and compares
 * them byte for byte (docs/spec/log.md#replay). It builds a ledger in a temporary folder by intake's rules.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { sourceStore } from "../../../publish/source-store.ts";
import { LedgerSource } from "../../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../../publish/sources/projections-source.ts";
import { SourceReader } from "../../../publish/sources/source-reader.ts";
import { RESPONSE_KEYS } from "../../../publish/status/public-status.ts";
import { noChain } from "../../../src/chain/chain.ts";
import { type Log, openLog } from "../../../src/client/log.ts";
import { packageVersion } from "../../../src/files/package-file.ts";
import { header, jsonOf, type Reply, type Transport } from "../../../src/judge/exchange.ts";
import type { Report } from "../../../src/judge/report.ts";
import { Intake } from "../../../src/ledger/intake/intake.ts";
import { logSize } from "../../../src/ledger/log.ts";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import { decodeResponse } from "../../../src/object-store/stored-response.ts";
import { publicationStatusSchema } from "../../../src/resources/publication-status/contract.ts";
import type { PublicResponse } from "../../../src/resources/publication-status/public-record.ts";
import { allPublications } from "../../../src/resources/publications.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { respond } from "../../../src/shim/respond.ts";
import { LOG, LOG_SUBJECT, type LogCheck } from "./log-check.ts";

/** The responses that the log alone gives. */
const REPLAYED = /^\/v1\/public\/(?:telemetry|modules)$|^\/v2\/public\/stats\?/;

/** A served response, and what `/status.json` said of it before and after it was read. */
interface Sample {
  readonly url: string;
  readonly reply: Reply;
  readonly records: readonly PublicResponse[];
}

interface Sampled {
  readonly installationId: string;
  /** Seconds; undefined if it is unknown. */
  readonly genesisTimestamp: number | undefined;
  readonly samples: readonly Sample[];
}

/** A response may change while it is read. So what differs is read again, so many times. */
const ATTEMPTS = 3;

/** Throws `Failure` log_not_replayable, `NoonmarkError`, and what `send` throws. */
export async function replay(report: Report, check: LogCheck, send: Transport): Promise<void> {
  let left: ReadonlySet<string> | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const sampled = await sample(report, send, left, check);
    const log = await openLog({ baseUrl: check.base, key: check.keys, number: check.number, signal: check.signal });
    const differing = await differences(sampled, log, check);
    const isLast = attempt === ATTEMPTS;
    for (const { url } of sampled.samples) {
      const saw = differing.get(url);
      if (saw !== undefined && !isLast) continue;
      report.check(LOG.replayed, { ...LOG_SUBJECT, name: url }, saw === undefined, () => ({
        expected: "the body that the log gives",
        saw: saw ?? "",
      }));
    }
    left = new Set(differing.keys());
    if (left.size === 0) return;
  }
}

const deploymentSchema = z.looseObject({ genesisTimestamp: z.int().nonnegative().nullable() });

type Status = z.infer<typeof publicationStatusSchema>;

/**
 * Reads bodies and status until their ETags agree: the status is renewed every few seconds only, and a cache may serve a body some
 * seconds longer.
 */
async function sample(
  report: Report,
  send: Transport,
  only: ReadonlySet<string> | undefined,
  { signal, lagMs }: LogCheck,
): Promise<Sampled> {
  const get = (target: string) => send({ method: "GET", target, headers: { "accept-encoding": "identity" } });
  const read = async () => publicationStatusSchema.parse(jsonOf(await get("/status.json")));
  const first = await read();
  const urls = Object.keys(first.responses).filter((url) => only?.has(url) ?? REPLAYED.test(url));
  const seen = new Map(urls.map((url) => [url, new Seen()]));
  for (let times = 0; times < READS; times++) {
    for (const url of urls) seen.get(url)?.reply(await get(url));
    const { responses } = await read();
    for (const url of urls) seen.get(url)?.record(responses[url]);
    if (times >= FEWEST_READS && [...seen.values()].every(({ hasPair }) => hasPair)) break;
    await wait(lagMs / READS, undefined, { signal });
  }
  const { genesisTimestamp } = deploymentSchema.parse(jsonOf(await get("/deployment.json")));
  const samples = [...seen]
    .flatMap(([url, of]) => of.sample(url) ?? [])
    .filter(({ url, records }) => {
      const other = records.find(({ program }) => program !== packageVersion());
      if (other === undefined) return true;
      const why = `not_replayed: ${url} was computed by version ${other.program}, and this is ${packageVersion()}`;
      report.skip(LOG.replayed, why);
      return false;
    });
  return { installationId: first.installationId, genesisTimestamp: genesisTimestamp ?? undefined, samples };
}

const READS = 15;
/** A body without an ETag counts as one of the last few states. */
const FEWEST_READS = 3;

/** What was read of one URL. */
class Seen {
  readonly #replies = new Map<string, Reply>();
  readonly #records = new Map<string, PublicResponse>();
  #newest: Reply | undefined;

  reply(reply: Reply): void {
    this.#newest = reply;
    const tag = header(reply, "etag");
    if (tag !== undefined) this.#replies.set(opaque(tag), reply);
  }

  record(record: Status["responses"][string] | undefined): void {
    if (record !== undefined) this.#records.set(JSON.stringify(record), record);
  }

  /** True if a body and a record have the same ETag, or need none. */
  get hasPair(): boolean {
    return this.#pair() !== undefined || [...this.#records.values()].every(({ etag }) => etag === null);
  }

  /** Without a pair, the newest body is compared with all states. Time alone may have changed its ETag. */
  sample(url: string): Sample | undefined {
    const pair = this.#pair();
    if (pair !== undefined) return { url, ...pair };
    return this.#newest && { url, reply: this.#newest, records: [...this.#records.values()] };
  }

  #pair(): Pick<Sample, "reply" | "records"> | undefined {
    for (const record of this.#records.values()) {
      const reply = record.etag === null ? undefined : this.#replies.get(opaque(record.etag));
      if (reply !== undefined) return { reply, records: [record] };
    }
    return undefined;
  }
}

function opaque(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}

/** Takes the log's entries into a new ledger, and computes each response at its size. Returns what differs, by URL. */
async function differences(
  { installationId, genesisTimestamp, samples }: Sampled,
  log: Log,
  { onProgress }: LogCheck,
): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-replay-"));
  const path = join(folder, "ledger.db");
  const ledger = openLedgerForIntake(path);
  // The file is temporary, so it need not survive a power failure.
  ledger.pragma("synchronous = OFF");
  const intake = new Intake(ledger);
  const renderer = new Renderer(installationId, genesisTimestamp, folder);
  const differing = new Map(samples.map(({ url }) => [url, "a response of which status.json says nothing"]));
  try {
    for (const size of sizesOf(samples, log.checkpoint.size)) {
      for await (const { index, text } of log.entries({ from: logSize(ledger), to: size })) {
        if (index % PROGRESS_ENTRIES === 0) onProgress(index, log.checkpoint.size);
        intake.writeEntry(text, index);
      }
      intake.flush();
      for (const { url, reply, records } of samples) {
        for (const record of records) {
          if (record.logSize !== size || !differing.has(url)) continue;
          const difference = await renderer.difference(url, record, reply);
          if (difference === undefined) differing.delete(url);
          else differing.set(url, difference);
        }
      }
    }
  } finally {
    renderer.close();
    intake.abort();
    ledger.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return differing;
}

function sizesOf(samples: readonly Sample[], limit: number): number[] {
  const sizes = samples.flatMap(({ records }) => records.flatMap(({ logSize }) => logSize ?? []));
  return [...new Set(sizes)].filter((size) => size <= limit).toSorted((one, other) => one - other);
}

const PROGRESS_ENTRIES = 4_096;

/** Computes responses from a ledger as a publisher does, and serves them as a shim does. */
class Renderer {
  readonly #reader: SourceReader;
  readonly #installationId: string;

  constructor(installationId: string, genesisTimestamp: number | undefined, folder: string) {
    this.#installationId = installationId;
    this.#reader = new SourceReader({
      installationId,
      ledger: new LedgerSource(join(folder, "ledger.db")),
      projections: ownProjections(folder, { whole: true }),
      chain: noChain(),
      genesisTimestamp,
    });
  }

  /** Returns how a response differs from what it was as of that instant, and from each state that followed by time alone. */
  async difference(url: string, { asOf }: PublicResponse, reply: Reply): Promise<string | undefined> {
    const at = Date.parse(asOf);
    const sources = this.#reader.begin(at);
    await sources.advance(() => undefined);
    const publications = allPublications({ installationId: this.#installationId, statisticsInterval: 0 });
    const store = sourceStore({ publications, at, sources });
    const key = RESPONSE_KEYS.find(([one]) => one === url)?.[1] ?? "";
    const object = await store.get(key);
    if (object === undefined) return "the log gives no such response";
    const instants = [at, ...decodeResponse(object).successors.map(({ from }) => from)];
    let difference = "";
    for (const instant of instants) {
      const context = shimContext({ store, now: () => instant, monotonic: () => 0, report: () => undefined });
      const { status, body = EMPTY } = await respond({ method: "GET", url }, context);
      if (status === reply.status && Buffer.compare(body, reply.body) === 0) return undefined;
      difference ||= firstDifference(Buffer.from(body).toString(), Buffer.from(reply.body).toString());
    }
    return difference;
  }

  close(): void {
    this.#reader.close();
  }
}

const EMPTY = new Uint8Array();

/** Returns both texts around their first difference. */
function firstDifference(computed: string, served: string): string {
  let at = 0;
  while (at < computed.length && computed[at] === served[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 40));
  return `${around(served)} at character ${at}, where the log gives ${around(computed)}`;
}

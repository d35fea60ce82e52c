/**
 * The sources of a deployment, built again in a temporary folder from its log, and from its chain as the reader's node knows it
 * (docs/spec/log.md#replay). Both only go forward. Responses are computed from them as a publisher does, and served as a shim does.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { sourceStore } from "../../../publish/source-store.ts";
import { LedgerSource } from "../../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../../publish/sources/projections-source.ts";
import { SourceReader } from "../../../publish/sources/source-reader.ts";
import { noChain } from "../../../src/chain/chain.ts";
import type { Log } from "../../../src/client/log.ts";
import { SOURCE_HEADER } from "../../../src/http/common-headers.ts";
import { header, jsonOf, type Reply } from "../../../src/judge/exchange.ts";
import { Intake } from "../../../src/ledger/intake/intake.ts";
import { logSize } from "../../../src/ledger/log.ts";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import { installationRowId } from "../../../src/ledger/watermarks.ts";
import { decodeResponse } from "../../../src/object-store/stored-response.ts";
import { RESPONSE_KEYS } from "../../../src/resources/find.ts";
import type { PublicResponse } from "../../../src/resources/publication-status/public-record.ts";
import { allPublications } from "../../../src/resources/publications.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { respond } from "../../../src/shim/respond.ts";
import { fieldsOf } from "../../../src/values/unknown.ts";
import type { FollowedChain } from "./followed-chain.ts";
import type { LogCheck } from "./log-check.ts";
import { type Reconciled, reconcile } from "./reconcile.ts";

/** The settings in `/deployment.json`. */
export interface ServedDeployment {
  readonly installationId: string;
  /** Seconds; null if it is unknown. */
  readonly genesisTimestamp: number | null;
  /** The contracts; null without a chain. */
  readonly deployment: unknown;
}

export type Comparison =
  | { readonly is: "same" }
  | { readonly is: "different"; readonly saw: string }
  /** Nobody can compute it again here. */
  | { readonly is: "unknown"; readonly why: string };

/** A body that says so was computed while the deployment or its publisher had no state of the chain. */
const WITHOUT_CHAIN = /"reason":"(?:indexer_unavailable|not_yet_safe|oracle_head_unavailable)"/;

const PROGRESS_ENTRIES = 4_096;
const NO_BLOCK = -1n;

interface Parts {
  /** A temporary folder. */
  readonly folder: string;
  readonly log: Log;
  /** Undefined without a chain, or without a node. */
  readonly chain: FollowedChain | undefined;
  readonly installationId: string;
  /** Seconds; undefined if it is unknown. */
  readonly genesisTimestamp: number | undefined;
  readonly onProgress: LogCheck["onProgress"];
}

export class Rebuilt {
  readonly #parts: Parts;
  readonly #ledger: Database;
  readonly #intake: Intake;
  readonly #reader: SourceReader;
  /** The safe block up to which the chain was read. */
  #block = NO_BLOCK;

  /** Throws `NoonmarkError` log_malformed for a deployment of another form. */
  static async open(
    { installationId, genesisTimestamp: genesis, deployment }: ServedDeployment,
    log: Log,
    { rpcUrls, signal, lagMs, onProgress }: LogCheck,
  ): Promise<Rebuilt> {
    const folder = mkdtempSync(join(tmpdir(), "noonmark-replay-"));
    const genesisTimestamp = genesis ?? undefined;
    const parts = { folder, log, installationId, genesisTimestamp, onProgress };
    try {
      if (deployment === null || rpcUrls === undefined) return new Rebuilt({ ...parts, chain: undefined });
      // Loaded only with a node, because viem is large.
      const { followChain } = await import("./followed-chain.ts");
      const statePath = join(folder, "chain.db");
      const chain = followChain({ deployment, genesisTimestamp, rpcUrls, statePath, signal, lagMs });
      return new Rebuilt({ ...parts, chain });
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor(parts: Parts) {
    this.#parts = parts;
    const { folder, chain, installationId, genesisTimestamp } = parts;
    const path = join(folder, "ledger.db");
    this.#ledger = openLedgerForIntake(path);
    // The file is temporary, so it need not survive a power failure.
    this.#ledger.pragma("synchronous = OFF");
    this.#intake = new Intake(this.#ledger);
    this.#reader = new SourceReader({
      installationId,
      ledger: new LedgerSource(path),
      projections: ownProjections(folder, { whole: true }),
      chain: chain?.chain ?? noChain(),
      genesisTimestamp,
    });
  }

  /**
   * Compares a served response with what log and chain give at the state that `record` names. States must come in their order.
   * Throws `Failure` log_not_replayable and `NoonmarkError`.
   */
  async compare(url: string, record: PublicResponse, reply: Reply): Promise<Comparison> {
    const unreached = (await this.#goTo(record)) ?? (this.#parts.chain && withoutChain(reply));
    if (unreached !== undefined) return unreached;
    const at = Date.parse(record.asOf);
    const sources = this.#reader.begin(at);
    await sources.advance(() => undefined);
    const publications = allPublications({ installationId: this.#parts.installationId, statisticsInterval: 0 });
    const key = RESPONSE_KEYS.find(([one]) => one === url)?.[1] ?? "";
    let nearest = { at: -1, saw: "" };
    let hasChain = true;
    for (const from of beginnings(at, reply)) {
      const store = sourceStore({ publications, at: from, sources });
      const object = await store.get(key);
      if (object === undefined) return { is: "different", saw: "a response that the log does not give" };
      // What time alone makes of it later is right, too.
      for (const instant of [from, ...decodeResponse(object).successors.map((successor) => successor.from)]) {
        const context = shimContext({ store, now: () => instant, monotonic: () => 0, report: () => undefined });
        const { status, body = EMPTY } = await respond({ method: "GET", url }, context);
        if (status === reply.status && Buffer.compare(body, reply.body) === 0) return { is: "same" };
        const computed = Buffer.from(body).toString();
        const difference = firstDifference(computed, Buffer.from(reply.body).toString());
        if (difference.at > nearest.at) nearest = difference;
        if (instant === from) hasChain &&= !WITHOUT_CHAIN.test(computed);
      }
    }
    if (this.#parts.chain !== undefined && !hasChain)
      return { is: "unknown", why: "the node has not given all that it is computed from" };
    return { is: "different", saw: nearest.saw };
  }

  /** Compares the settled batches up to the last block with all rounds of the log; undefined if no block was read. */
  async reconciled(): Promise<Reconciled | undefined> {
    if (this.#parts.chain === undefined || this.#block === NO_BLOCK) return undefined;
    await this.#takeEntries(this.#parts.log.checkpoint.size);
    return reconcile({
      ledger: this.#ledger,
      installation: installationRowId(this.#ledger, this.#parts.installationId),
      events: this.#parts.chain.chain.db,
      safeBlock: this.#block,
    });
  }

  close(): void {
    // It closes the chain, too.
    this.#reader.close();
    this.#intake.abort();
    this.#ledger.close();
    rmSync(this.#parts.folder, { recursive: true, force: true });
  }

  /** Takes in log and chain up to the state of a response. Returns why there is nothing to compare it with. */
  async #goTo({ logSize: size, safeBlock }: PublicResponse): Promise<Comparison | undefined> {
    const { size: end } = this.#parts.log.checkpoint;
    if (size !== null && size > end) {
      return { is: "different", saw: `a response of ${size} entries, where the checkpoint has ${end}` };
    }
    const block = safeBlock === null || this.#parts.chain === undefined ? undefined : BigInt(safeBlock.number);
    if ((size !== null && size < logSize(this.#ledger)) || (block !== undefined && block < this.#block)) {
      return { is: "unknown", why: "it is of an earlier state than one that was published before it" };
    }
    if (size !== null) await this.#takeEntries(size);
    if (block === undefined || safeBlock === null) return undefined;
    const why = await this.#parts.chain?.follow(block);
    if (why !== undefined) return { is: "unknown", why: `block ${block}: ${why}` };
    this.#block = block;
    const { core } = this.#parts.chain?.chain.state(Date.now()) ?? {};
    if (core?.status !== "available" || core.view.chain.safeBlockHash === safeBlock.hash) return undefined;
    const saw = `block ${block} with the hash ${safeBlock.hash}, where the node has ${core.view.chain.safeBlockHash}`;
    return { is: "different", saw };
  }

  async #takeEntries(to: number): Promise<void> {
    for await (const { index, text } of this.#parts.log.entries({ from: logSize(this.#ledger), to })) {
      if (index % PROGRESS_ENTRIES === 0) this.#parts.onProgress(index, this.#parts.log.checkpoint.size);
      this.#intake.writeEntry(text, index);
    }
    this.#intake.flush();
  }
}

const EMPTY = new Uint8Array();

function withoutChain(reply: Reply): Comparison | undefined {
  const isSaved = (header(reply, SOURCE_HEADER) ?? "live") !== "live";
  if (!isSaved && !WITHOUT_CHAIN.test(Buffer.from(reply.body).toString())) return undefined;
  return { is: "unknown", why: "the deployment had no state of the chain" };
}

/** The instants (epoch ms) as of which a body may be computed: a body that changed only by its successors keeps its generatedAt. */
function beginnings(at: number, reply: Reply): readonly number[] {
  const generatedAt = Date.parse(String(fieldsOf(jsonOf(reply)).generatedAt));
  return generatedAt < at ? [at, generatedAt] : [at];
}

/** Returns where two texts differ first, and both around it. */
function firstDifference(computed: string, served: string): { readonly at: number; readonly saw: string } {
  let at = 0;
  while (at < computed.length && computed[at] === served[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 40));
  return { at, saw: `${around(served)} at character ${at}, where the log gives ${around(computed)}` };
}

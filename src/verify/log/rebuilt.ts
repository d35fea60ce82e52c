/**
 * The sources of a deployment, built again in a temporary folder from its log, and from its chain as the reader's node
 * knows it (docs/spec/log.md#replay). Both only go forward. Responses are computed from them as a publisher does, and
 * served as a shim does.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { sourceStore } from "../../../publish/source-store.ts";
import { LedgerSource } from "../../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../../publish/sources/projections-source.ts";
import { SourceReader } from "../../../publish/sources/source-reader.ts";
import { noChain } from "../../chain/chain.ts";
import type { Log } from "../../client/log.ts";
import { SOURCE_HEADER } from "../../http/common-headers.ts";
import { Intake } from "../../ledger/intake/intake.ts";
import { logSize } from "../../ledger/log.ts";
import { openLedgerForIntake } from "../../ledger/open.ts";
import { installationRowId } from "../../ledger/watermarks.ts";
import { decodeResponse } from "../../object-store/stored-response.ts";
import { RESPONSE_KEYS } from "../../resources/find.ts";
import type { PublicResponse } from "../../resources/publication-status/public-record.ts";
import { allPublications } from "../../resources/publications.ts";
import { shimContext } from "../../shim/context.ts";
import { respond } from "../../shim/respond.ts";
import { header, type Reply } from "../exchange.ts";
import type { FollowedChain, Reconciled } from "./chain.ts";
import { type LaggedCheck, PROGRESS_ENTRIES } from "./check.ts";

/** The settings in `/deployment.json`. */
export interface ServedDeployment {
  readonly installationId: string;
  /** Seconds; null if it is unknown. */
  readonly genesisTimestamp: number | null;
  /** The contracts; null without a chain. */
  readonly deployment: unknown;
}

/** `unknown`: nobody can compute it again here. */
export type Comparison =
  | { readonly kind: "same" }
  | { readonly kind: "different"; readonly seen: string }
  | { readonly kind: "unknown"; readonly why: string };

/** A body that says so was computed while the deployment or its publisher had no state of the chain. */
const WITHOUT_CHAIN = /"reason":"(?:indexer_unavailable|not_yet_safe|oracle_head_unavailable)"/;

interface Parts {
  /** A temporary folder. */
  readonly folder: string;
  readonly log: Log;
  /** Undefined without a chain, or without a node. */
  readonly chain: FollowedChain | undefined;
  readonly installationId: string;
  /** Seconds; undefined if it is unknown. */
  readonly genesisTimestamp: number | undefined;
  readonly check: LaggedCheck;
}

export class Rebuilt {
  readonly #parts: Parts;
  readonly #ledger: Database;
  readonly #intake: Intake;
  readonly #reader: SourceReader;
  /** The safe block up to which the chain was read. */
  #block: bigint | undefined;

  /** Throws `NoonmarkError` log_malformed for a deployment of another form. */
  static async open(served: ServedDeployment, log: Log, check: LaggedCheck): Promise<Rebuilt> {
    const { installationId, deployment } = served;
    const folder = mkdtempSync(join(tmpdir(), "noonmark-replay-"));
    const genesisTimestamp = served.genesisTimestamp ?? undefined;
    const parts = { folder, log, installationId, genesisTimestamp, check };
    const { rpcUrls, signal, lagMs } = check;
    try {
      if (deployment === null || rpcUrls === undefined) return new Rebuilt({ ...parts, chain: undefined });
      // Loaded only with a node, because viem is large.
      const { followChain } = await import("./chain.ts");
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
   * Compares a served response with what log and chain give at the state that `record` names. States must come in their
   * order. Throws `Failure` log_not_replayable and `NoonmarkError`.
   */
  async compare(url: string, record: PublicResponse, reply: Reply): Promise<Comparison> {
    const served = Buffer.from(reply.body).toString();
    const unreached = (await this.#goTo(record)) ?? (this.#parts.chain && withoutChain(reply, served));
    if (unreached !== undefined) return unreached;
    const at = Date.parse(record.asOf);
    const sources = this.#reader.begin(at);
    await sources.advance(() => undefined);
    const publications = allPublications({ installationId: this.#parts.installationId, statisticsInterval: 0 });
    const key = RESPONSE_KEYS.find(([one]) => one === url)?.[1] ?? "";
    let nearest = { at: -1, seen: "" };
    for (const from of beginnings(at, served)) {
      const store = sourceStore({ publications, at: from, sources });
      const object = await store.get(key);
      if (object === undefined) return { kind: "different", seen: "a response that the log does not give" };
      // A body that a successor changed is right, too.
      for (const instant of [from, ...decodeResponse(object).successors.map((successor) => successor.from)]) {
        const context = shimContext({ store, now: () => instant, monotonic: () => 0, report: () => undefined });
        const { status, body = new Uint8Array() } = await respond({ method: "GET", url }, context);
        if (status === reply.status && Buffer.compare(body, reply.body) === 0) return { kind: "same" };
        const computed = Buffer.from(body).toString();
        if (instant === from && this.#parts.chain !== undefined && WITHOUT_CHAIN.test(computed)) {
          return { kind: "unknown", why: "the node has not given all that it is computed from" };
        }
        const difference = firstDifference(computed, served);
        if (difference.at > nearest.at) nearest = difference;
      }
    }
    return { kind: "different", seen: nearest.seen };
  }

  /** Compares the settled batches up to the last block with all rounds of the log; undefined if no block was read. */
  async reconciled(): Promise<Reconciled | undefined> {
    const { chain, log, installationId } = this.#parts;
    if (chain === undefined || this.#block === undefined) return undefined;
    await this.#takeEntries(log.checkpoint.size);
    const { reconcile } = await import("./chain.ts");
    const installation = installationRowId(this.#ledger, installationId);
    return reconcile({ ledger: this.#ledger, installation, events: chain.chain.db, safeBlock: this.#block });
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
    const { log, chain } = this.#parts;
    const end = log.checkpoint.size;
    if (size !== null && size > end) {
      return { kind: "different", seen: `a response of ${size} entries, where the checkpoint has ${end}` };
    }
    const block = safeBlock === null || chain === undefined ? undefined : BigInt(safeBlock.number);
    const isEarlier = block !== undefined && this.#block !== undefined && block < this.#block;
    if (isEarlier || (size !== null && size < logSize(this.#ledger))) {
      return { kind: "unknown", why: "it is of an earlier state than one that was published before it" };
    }
    if (size !== null) await this.#takeEntries(size);
    if (block === undefined) return undefined;
    const why = await chain?.follow(block);
    if (why !== undefined) return { kind: "unknown", why: `block ${block}: ${why}` };
    this.#block = block;
    const { core } = chain?.chain.state(Date.now()) ?? {};
    const hash = core?.status === "available" ? core.view.chain.safeBlockHash : safeBlock?.hash;
    if (hash === safeBlock?.hash) return undefined;
    return { kind: "different", seen: `block ${block} with the hash ${safeBlock?.hash}, where the node has ${hash}` };
  }

  async #takeEntries(to: number): Promise<void> {
    const { log, check } = this.#parts;
    for await (const { index, text } of log.entries({ from: logSize(this.#ledger), to })) {
      if (index % PROGRESS_ENTRIES === 0) check.onProgress?.(index, log.checkpoint.size);
      this.#intake.writeEntry(text, index);
    }
    this.#intake.flush();
  }
}

function withoutChain(reply: Reply, served: string): Comparison | undefined {
  const isSaved = (header(reply, SOURCE_HEADER) ?? "live") !== "live";
  if (!isSaved && !WITHOUT_CHAIN.test(served)) return undefined;
  return { kind: "unknown", why: "the deployment had no state of the chain" };
}

/** The instants (epoch ms) as of which a body may be computed: one that a successor changed keeps its generatedAt. */
function beginnings(at: number, served: string): readonly number[] {
  const generatedAt = Date.parse(/"generatedAt":"([^"]{1,30})"/.exec(served)?.[1] ?? "");
  return generatedAt < at ? [at, generatedAt] : [at];
}

/** Returns where two texts differ first, and both around it. */
function firstDifference(computed: string, served: string): { readonly at: number; readonly seen: string } {
  let at = 0;
  while (at < computed.length && computed[at] === served[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 40));
  return { at, seen: `${around(served)} at character ${at}, where the log gives ${around(computed)}` };
}

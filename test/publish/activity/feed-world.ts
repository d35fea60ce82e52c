/** A ledger and a chain that the test extends, and the activity published from them into an in-memory store. */

import SqliteDatabase, { type Database } from "better-sqlite3";
import { planActivity } from "../../../publish/plan/activity.ts";
import { futureOf } from "../../../publish/plan/successors.ts";
import type { ChainEvent, ChainState } from "../../../src/chain/chain-state.ts";
import { LEDGER_SCHEMA } from "../../../src/ledger/schema.ts";
import { advanceChainViews, advanceLedgerViews } from "../../../src/projections/advance.ts";
import { StepBudget } from "../../../src/projections/follow.ts";
import { openProjectionsInMemory } from "../../../src/projections/open.ts";
import { activityPublications } from "../../../src/resources/activity/publication.ts";
import { activityContext } from "../../../src/resources/activity/tiles.ts";
import type { Snapshot } from "../../../src/resources/snapshot.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { respond } from "../../../src/shim/respond.ts";
import { SAFE_DEPTH } from "../../../src/values/settlement-limits.ts";
import { addEvents, chainDb } from "../../support/chain/chain-db.ts";
import { AT, chainState, coreView } from "../../support/chain/chain-state.ts";
import { MemoryStore } from "../../support/memory-store.ts";
import { putNamedTiles, putResponse } from "../../support/publish-response.ts";

export interface FeedReceipt {
  /** Epoch ms. */
  readonly observedAt: number;
  readonly epoch: string;
  readonly speed: number;
  readonly distance: number;
}

export interface FeedBody {
  readonly status: string;
  readonly reason?: string;
  readonly activeEventTypes: readonly string[];
  readonly events: readonly { readonly id: string; readonly type: string; readonly [name: string]: unknown }[];
  readonly nextCursor: string | null;
}

export class FeedWorld {
  readonly store = new MemoryStore();
  readonly ledger: Database = new SqliteDatabase(":memory:");
  projections: Database = openProjectionsInMemory();
  chain: ChainState = chainState();
  hasLedger = true;
  /** Called after each step along the chain. */
  budget = (): StepBudget => new StepBudget();
  afterStep = (): void => {};
  #chainDb = chainDb([]);
  #position = 0;

  constructor() {
    this.ledger.exec(LEDGER_SCHEMA);
    this.ledger.exec("INSERT INTO installation (no, id) VALUES (1, 'wheel-1')");
  }

  receive(receipts: readonly FeedReceipt[]): void {
    const insert = this.ledger.prepare(
      "INSERT INTO receipt VALUES (1, ?, ?, 'boot', ?, ?, ?, ?, '0', 'simulated', '1', 'ACTIVE', 0, ?, ?)",
    );
    for (const { observedAt, epoch, speed, distance } of receipts) {
      const position = ++this.#position;
      insert.run(position, uuid(position), epoch, position, observedAt, observedAt + 250, speed, distance);
    }
  }

  /** Adds logs at or below the new safe block. */
  mine(events: readonly ChainEvent[], safeBlock: bigint): void {
    addEvents(this.#chainDb, events);
    this.#setSafe(safeBlock);
  }

  /** Another branch replaces what is above a block. */
  rewind(to: bigint, events: readonly ChainEvent[], safeBlock: bigint): void {
    this.#chainDb.prepare("DELETE FROM event WHERE block_number > ?").run(Number(to));
    this.#chainDb.exec("UPDATE sync SET history = history || '+'");
    this.mine(events, safeBlock);
  }

  sources(): Snapshot {
    return {
      installationId: "wheel-1",
      ledger: this.hasLedger ? this.ledger : undefined,
      projections: this.projections,
      chain: this.chain,
      chainDb: this.#chainDb,
      genesisTimestamp: undefined,
    };
  }

  advance(): Snapshot {
    const sources = this.sources();
    this.followReceipts(50);
    while (advanceChainViews(this.projections, sources, this.budget())) this.afterStep();
    const context = activityContext("wheel-1", this.chain);
    if (context === undefined) return this.sources();
    while (planActivity(this.projections, context, this.budget())) this.afterStep();
    return this.sources();
  }

  /** Adds receipts and projects them in steps of this many. */
  followReceipts(step: number): void {
    const inputs = { ledger: this.sources().ledger, installationId: "wheel-1", genesis: undefined, at: AT };
    while (advanceLedgerViews(this.projections, inputs, new StepBudget(step)));
  }

  async publish(at = AT): Promise<void> {
    const sources = this.advance();
    for (const publication of activityPublications) {
      await putNamedTiles(this.store, publication, sources);
      const { built, successors } = futureOf((instant) => publication.build(sources, instant), at);
      await putResponse(this.store, publication.key, built, successors);
    }
  }

  async read(query: string, at = AT): Promise<{ status: number; body: FeedBody }> {
    const context = shimContext({ store: this.store, now: () => at, monotonic: () => at });
    const { status, body } = await respond({ method: "GET", url: `/v1/public/activity?${query}` }, context);
    return { status, body: JSON.parse(new TextDecoder().decode(body)) as FeedBody };
  }

  /** All events, newest first, read in pages of the given sizes, which are repeated if necessary. */
  async walk(category: string, limits: readonly number[], between: (page: number) => Promise<void> = async () => {}) {
    const events: FeedBody["events"][number][] = [];
    let cursor: string | null = null;
    for (let page = 0; ; page++) {
      const query: string = `category=${category}&limit=${limits[page % limits.length]}${cursor === null ? "" : `&cursor=${cursor}`}`;
      const { body } = await this.read(query);
      events.push(...body.events);
      if (body.nextCursor === null) return events;
      cursor = body.nextCursor;
      await between(page);
    }
  }

  /** Closes its databases. A property test creates thousands of worlds. */
  close(): void {
    for (const db of [this.ledger, this.projections, this.#chainDb]) db.close();
  }

  #setSafe(safeThroughBlock: bigint): void {
    this.#chainDb.prepare("UPDATE sync SET stored_through_block = ?").run(Number(safeThroughBlock));
    const { chain } = coreView();
    this.chain = chainState({
      chain: { ...chain, safeThroughBlock, indexedThroughBlock: safeThroughBlock + SAFE_DEPTH },
    });
  }
}

function uuid(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
}

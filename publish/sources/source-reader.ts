/** Reads the sources of a publisher: ledger, projections and chain (docs/spec/publishing.md#snapshot). */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import type { Chain } from "../../src/chain/chain.ts";
import { forgetLedger } from "../../src/projections/advance.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { failureOfOneOf } from "../../src/sqlite/sqlite-failure.ts";
import type { CycleSources } from "./cycle-sources.ts";
import type { LedgerSource, LedgerVersion } from "./ledger-source.ts";
import type { ProjectionsSource } from "./projections-source.ts";

export interface SourceReaderOptions {
  readonly installationId: string;
  readonly ledger: LedgerSource | undefined;
  readonly projections: ProjectionsSource;
  readonly chain: Chain;
  /** Seconds, as configured. */
  readonly genesisTimestamp: number | undefined;
}

/** Of the projections at once, while something else waits too. */
const MOST_STEPS = 32;

/** How far ledger and chain had come. */
export interface SourcesVersion {
  readonly ledger: LedgerVersion | undefined;
  readonly chain: number;
}

export class SourceReader {
  readonly installationId: string;
  readonly #options: SourceReaderOptions;
  #chainVersion = -1;
  #replaced = false;

  constructor(options: SourceReaderOptions) {
    this.#options = options;
    this.installationId = options.installationId;
  }

  /** To be taken before a cycle reads anything: what comes while it reads is the next one's. */
  version(): SourcesVersion {
    const { ledger, chain } = this.#options;
    return { ledger: ledger?.version(), chain: chain.moved() };
  }

  /** The cycle that began with this version is done. */
  settle({ ledger, chain }: SourcesVersion): void {
    if (ledger !== undefined) this.#options.ledger?.settle(ledger);
    this.#chainVersion = chain;
  }

  /** Whether anything but time has changed since the version that was settled last; microseconds. */
  moved(): boolean {
    const change = this.#options.ledger?.change() ?? "none";
    if (change === "replaced") this.#replaced = true;
    const { chain, projections } = this.#options;
    return change !== "none" || this.#replaced || projections.isBehind || chain.moved() !== this.#chainVersion;
  }

  /** Whether another ledger file has come since the last time this was asked. */
  takeReplaced(): boolean {
    this.moved();
    const replaced = this.#replaced;
    this.#replaced = false;
    return replaced;
  }

  /** Of a cycle at `at` (epoch ms). */
  begin(at: number): CycleSources {
    const { projections, chain, installationId, genesisTimestamp } = this.#options;
    const state = chain.state(at);
    const whole: Omit<Snapshot, "ledger"> = {
      installationId,
      chain: state,
      projections: projections.open(),
      chainDb: chain.db,
      genesisTimestamp: genesisTimestamp === undefined ? state.genesisTimestamp : BigInt(genesisTimestamp),
    };
    let stepsLeft = projections.mostSteps;
    let isChainIn = true;
    // Whether all is in that a plan needs. The chain's steps are not counted: half of what it says must not be published.
    const takeIn = (snapshot: Snapshot): boolean => {
      const goesOn = !isChainIn;
      if (!goesOn && !projections.step(snapshot, at) && --stepsLeft > 0) return false;
      isChainIn = projections.chainStep(snapshot);
      // After a long one the ledger may have moved: it is followed once more, in the plan's own transaction.
      return isChainIn && !goesOn;
    };
    return {
      advance: async (use) => {
        for (;;) {
          const planned = this.#read((ledger) => {
            const snapshot = { ...whole, ledger };
            return takeIn(snapshot) ? { value: use(snapshot) } : undefined;
          });
          if (planned !== undefined) return planned.value;
          await nextTurn();
        }
      },
      snapshot: (use) => this.#read((ledger) => use({ ...whole, ledger })),
      forgetLedger: () => this.#read(() => forgetLedger(whole.projections)),
      write: (keep) => this.#read((ledger) => keep({ ...whole, ledger })),
    };
  }

  /**
   * Brings the projections to what the sources have by now, without publishing anything: what a standby does. A bounded
   * part of it at a time, the rest when it is called again. `at` in epoch ms.
   */
  async follow(at: number): Promise<void> {
    for (let steps = 0; steps < MOST_STEPS && this.moved(); steps++) {
      // Whoever publishes later begins with everything anyway.
      this.takeReplaced();
      const version = this.version();
      const sources = this.begin(at);
      await sources.advance(() => {});
      this.settle(version);
      await nextTurn();
    }
    this.#blaming(() => this.#options.projections.commit());
  }

  /** Commits what was derived and has waited long enough at `now` (ms, by a clock that never jumps). Throws `Failure`. */
  saveIfDue(now: number): void {
    const { projections } = this.#options;
    this.#blaming(() => projections.commitIfDue(now));
  }

  /** Epoch ms after `now` at which the chain says something else by time alone. */
  nextChange(now: number): number | undefined {
    return this.#options.chain.nextChange(now);
  }

  /** As the chain's nodes say; undefined if none answers. `now` in epoch ms. */
  blockHash(number: bigint, now: number): Promise<string | undefined> {
    return this.#options.chain.blockHash(number, now);
  }

  /** For `noonmark status`. */
  describe(): Record<string, unknown> {
    const { ledger, chain } = this.#options;
    return { ledger: ledger?.path ?? "none", chain: chain.describe() };
  }

  close(): void {
    this.#options.ledger?.close();
    this.#options.projections.close();
    this.#options.chain.close();
  }

  /** Throws `Failure` with the path of the file that failed: what is derived is written while the ledger is read. */
  #read<T>(use: (ledger: Database | undefined) => T): T {
    const { ledger, projections } = this.#options;
    const blamed = (db: Database | undefined) =>
      this.#blaming(() => {
        const before = projections.otherWrites();
        const used = use(db);
        if (projections.otherWrites() !== before) projections.commit();
        return used;
      });
    return ledger === undefined ? blamed(undefined) : ledger.read(blamed);
  }

  #blaming<T>(use: () => T): T {
    const { projections, chain } = this.#options;
    try {
      return use();
    } catch (error) {
      const derived = { db: projections.open(), name: "projections", isWritten: true };
      const read = chain.db === undefined ? [] : [{ db: chain.db, name: "chain_store", isWritten: false }];
      throw failureOfOneOf(error, [derived, ...read]);
    }
  }
}

/** Reads the sources of a publisher: ledger, projections and chain (docs/spec/publishing.md#snapshot). */
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import type { Chain } from "../../src/chain/chain.ts";
import type { Snapshot, Snapshots, WritableSnapshot } from "../../src/resources/snapshot.ts";
import { failureOfOneOf, type OpenFile } from "../../src/sqlite/sqlite-failure.ts";
import { Failure } from "../../src/values/failure.ts";
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

/** A rebuild holds the projections' lock for many short steps. The lock is tried this often, and for so long (ms). */
const LOCK_RETRY_MS = 20;
const LOCK_WAIT_MS = 10_000;

/** Advances of the projections in one call of `follow`. */
const STEP_LIMIT = 32;

/** A state of both sources. */
export interface SourcesVersion {
  readonly ledger: LedgerVersion | undefined;
  readonly chain: number;
}

export class SourceReader {
  readonly installationId: string;
  readonly #options: SourceReaderOptions;
  #chainVersion = -1;

  constructor(options: SourceReaderOptions) {
    this.#options = options;
    this.installationId = options.installationId;
  }

  /** Must be called before a cycle reads anything, so that later changes belong to the next cycle. */
  version(): SourcesVersion {
    const { ledger, chain } = this.#options;
    return { ledger: ledger?.version(), chain: chain.changes() };
  }

  /** Records that the cycle for this version has ended. */
  acknowledge({ ledger, chain }: SourcesVersion): void {
    if (ledger !== undefined) this.#options.ledger?.acknowledge(ledger);
    this.#chainVersion = chain;
  }

  /** True if a source has changed since the last acknowledged version. Takes microseconds. */
  hasChanged(): boolean {
    const { ledger, chain, projections } = this.#options;
    return ledger?.hasChanged() === true || projections.isBehind || chain.changes() !== this.#chainVersion;
  }

  /** Opens files again that were replaced, and says which. */
  reopenReplaced(): { readonly ledger: boolean; readonly projections: boolean } {
    const { ledger, projections } = this.#options;
    return { ledger: ledger?.reopenReplaced() ?? false, projections: projections.reopenReplaced() };
  }

  /** The sources of a cycle at `at` (epoch ms). */
  begin(at: number): CycleSources {
    const { projections, chain, installationId, genesisTimestamp } = this.#options;
    const state = chain.state(at);
    const whole: Omit<WritableSnapshot, "ledger"> = {
      faults: new Map(),
      installationId,
      chain: state,
      projections: projections.db,
      chainDb: chain.db,
      genesisTimestamp: genesisTimestamp === undefined ? state.genesisTimestamp : BigInt(genesisTimestamp),
    };
    let stepsLeft = projections.stepLimit;
    let isChainIn = true;
    // True if a plan may read. The chain's steps have no limit, because no plan may see half of its events.
    const takeIn = (snapshot: WritableSnapshot): boolean => {
      const goesOn = !isChainIn;
      if (!goesOn && !projections.step(snapshot, at) && --stepsLeft > 0) return false;
      isChainIn = projections.chainStep(snapshot);
      // After a long step the ledger may have moved, so it is followed once more in the plan's transaction.
      return isChainIn && !goesOn;
    };
    // Calls `use` in the transaction of the step after which nothing is left to take in.
    const onceIn = async <T>(
      step: (snapshot: WritableSnapshot) => boolean,
      use: (snapshot: Snapshot) => T,
    ): Promise<T> => {
      for (;;) {
        await this.#lock();
        const planned = this.#write((ledger) => {
          const snapshot = { ...whole, ledger };
          return step(snapshot) ? { value: use(snapshot) } : undefined;
        });
        if (planned !== undefined) return planned.value;
        await nextTurn();
      }
    };
    return {
      advance: (use) => onceIn(takeIn, use),
      advanceChain: (use) => onceIn((snapshot) => projections.chainStep(snapshot), use),
      blockHash: (number) => chain.blockHash(number, at),
      snapshot: (use) => this.#read((ledger) => use({ ...whole, ledger })),
      write: (keep) => this.#write((ledger) => keep({ ...whole, ledger })),
    };
  }

  /**
   * Advances the projections of a standby without publishing anything. Each call does a limited part of the work. `at` in
   * epoch ms.
   */
  async follow(at: number): Promise<void> {
    for (let steps = 0; steps < STEP_LIMIT && this.hasChanged(); steps++) {
      this.reopenReplaced();
      const version = this.version();
      const sources = this.begin(at);
      await sources.advance(() => {});
      this.acknowledge(version);
      await nextTurn();
    }
    this.#blaming(() => this.#options.projections.commit());
  }

  /** Like `follow`, but only along the chain, because the ledger is refused. */
  async followChain(at: number): Promise<void> {
    this.reopenReplaced();
    await this.begin(at).advanceChain(() => {});
    this.#blaming(() => this.#options.projections.commit());
  }

  /** Commits projections that have waited long enough; `now` is monotonic (ms). Throws `Failure`. */
  saveIfDue(now: number): void {
    const { projections } = this.#options;
    this.#blaming(() => projections.commitIfDue(now));
  }

  /** The next instant (epoch ms) after `now` at which the chain's state changes without new blocks. */
  nextChange(now: number): number | undefined {
    return this.#options.chain.nextChange(now);
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

  /** Takes the projections' lock, without blocking the event loop. Throws `Failure` projections_locked. */
  async #lock(): Promise<void> {
    const end = performance.now() + LOCK_WAIT_MS;
    for (;;) {
      try {
        return this.#blaming(() => this.#options.projections.lock());
      } catch (error) {
        if (!isLocked(error) || performance.now() >= end) throw error;
      }
      await wait(LOCK_RETRY_MS);
    }
  }

  /** Throws `Failure` with the path of the file that failed. */
  #read<T>(use: (ledger: Database | undefined) => T): T {
    const { ledger } = this.#options;
    const blamed = (db: Database | undefined) => this.#blaming(() => use(db));
    return ledger === undefined ? blamed(undefined) : ledger.read(blamed);
  }

  /** Like `#read`, for work that writes to the projections. All writes except those of a step are committed at once. */
  #write<T>(use: (ledger: Database | undefined) => T): T {
    const { projections } = this.#options;
    return this.#read((ledger) => {
      const before = projections.otherWrites();
      const used = use(ledger);
      if (projections.otherWrites() !== before) projections.commit();
      return used;
    });
  }

  #blaming<T>(use: () => T): T {
    const { projections, chain } = this.#options;
    try {
      return use();
    } catch (error) {
      const files: OpenFile[] = [{ db: projections.db, name: "projections", isWritten: true }];
      if (chain.db !== undefined) files.push({ db: chain.db, name: "chain", isWritten: false });
      throw failureOfOneOf(error, files);
    }
  }
}

/** True if another process writes to the projections. It passes when that process is done. */
export function isLocked(error: unknown): error is Failure {
  return error instanceof Failure && error.code === "projections_locked";
}

/** The sources of one cycle. Chain and projections stay the same in its snapshots; the ledger may be ahead of them. */
export interface CycleSources extends Snapshots {
  /**
   * Advances the projections to the ledger and the chain, in short steps so that the event loop runs in between. Calls
   * `use` with a snapshot of exactly that state.
   */
  advance<T>(use: (snapshot: Snapshot) => T): Promise<T>;
  /** Like `advance`, but only along the chain, because the ledger is refused. */
  advanceChain<T>(use: (snapshot: Snapshot) => T): Promise<T>;
  /** Returns the chain's hash at a block; undefined if every node is silent. */
  blockHash(number: bigint): Promise<string | undefined>;
  /** Writes to the projections. All other users of a snapshot only read. */
  write(keep: (snapshot: WritableSnapshot) => void): void;
}

/** What the passes so far add up to (docs/spec/chain.md#reading), and what of it is written down. */
import type { Database } from "better-sqlite3";
import type { FailedCheck } from "../check-name.ts";
import type { Deployment } from "../deployment.ts";
import { dropSnapshot, readSync, touch } from "../store/sync-row.ts";
import { readSnapshot, type Snapshot } from "../view/views.ts";
import type { Verdict } from "./verdict.ts";

/** A good pass that found nothing new is written down this seldom (ms). */
const TOUCH_INTERVAL = 5_000;

/** What a good pass has read, where anything had moved. */
interface Found {
  readonly snapshot?: Snapshot;
  readonly economyMismatch?: FailedCheck | undefined;
  readonly synced?: boolean;
}

export class Status {
  readonly #db: Database;
  readonly #deployment: Deployment;
  readonly #grace: number;
  #verdict: Verdict;
  #moved = 0;
  #touchedAt = 0;

  /** As the file says; `grace` in ms. */
  constructor(db: Database, { deployment, grace }: { readonly deployment: Deployment; readonly grace: number }) {
    this.#db = db;
    this.#deployment = deployment;
    this.#grace = grace;
    const sync = readSync(db);
    this.#verdict = {
      snapshot: sync.snapshot === null ? undefined : readSnapshot(sync.snapshot),
      safe: sync.indexedThroughBlock === undefined ? undefined : sync.stored?.block,
      lastGoodPassAt: sync.snapshot === null ? undefined : sync.lastGoodPassAt,
      synced: sync.indexedThroughBlock !== undefined,
      failed: false,
      coreMismatch: undefined,
      economyMismatch: undefined,
    };
  }

  get verdict(): Verdict {
    return this.#verdict;
  }

  /** Rises whenever the verdict has changed by anything but time and the height of the safe block. */
  get moved(): number {
    return this.#moved;
  }

  /** Whether no pass has been good for so long that nobody is believed any more; `now` in epoch ms. */
  isSilent(now: number): boolean {
    const { lastGoodPassAt } = this.#verdict;
    return lastGoodPassAt === undefined || now - lastGoodPassAt >= this.#grace;
  }

  /** Whether everything that is published stands on a good pass, so that an unmoved safe block needs no reading. */
  get isGood(): boolean {
    const { snapshot, coreMismatch, economyMismatch } = this.#verdict;
    const { economy } = this.#deployment;
    const whole = economy === undefined || snapshot?.economy !== undefined || this.#economyNotSafe();
    return snapshot !== undefined && coreMismatch === undefined && economyMismatch === undefined && whole;
  }

  /** A node has shown a safe block. */
  sawSafe(safe: bigint): void {
    if (this.#verdict.safe === undefined || safe > this.#verdict.safe) this.#verdict = { ...this.#verdict, safe };
  }

  /** `at` in epoch ms; `found` where anything had moved. */
  goodPass(at: number, found: Found = {}): void {
    const wasSilent = this.isSilent(at);
    this.#verdict = { ...this.#verdict, lastGoodPassAt: at };
    if (found.snapshot !== undefined) this.#touchedAt = at;
    if (at - this.#touchedAt >= TOUCH_INTERVAL) {
      this.#touchedAt = at;
      touch(this.#db, at);
    }
    if (found.snapshot !== undefined || this.#verdict.failed || wasSilent) {
      this.#change({ ...found, failed: false, coreMismatch: undefined });
    }
  }

  mismatch(failure: FailedCheck): void {
    dropSnapshot(this.#db);
    this.#change({ coreMismatch: failure, snapshot: undefined, lastGoodPassAt: undefined, failed: true });
  }

  fail(): void {
    if (!this.#verdict.failed) this.#change({ failed: true });
  }

  /** A range was stored: the last attempt has not failed after all. */
  progress(): void {
    if (this.#verdict.failed) this.#change({ failed: false });
  }

  /** A node has said that there is nothing to read yet. */
  notYetSafe(): void {
    if (this.#verdict.failed || this.#verdict.coreMismatch !== undefined) {
      this.#change({ failed: false, coreMismatch: undefined });
    }
  }

  /** Another process has written to the file. */
  reread(): void {
    const { snapshot } = readSync(this.#db);
    this.#change({ snapshot: snapshot === null ? undefined : readSnapshot(snapshot) });
  }

  #economyNotSafe(): boolean {
    const { economy } = this.#deployment;
    return economy !== undefined && (this.#verdict.safe ?? 0n) < BigInt(economy.deploymentBlock);
  }

  #change(news: Partial<Verdict>): void {
    this.#verdict = { ...this.#verdict, ...news };
    this.#moved++;
  }
}

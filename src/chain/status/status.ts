/** What the passes so far add up to (docs/spec/chain.md#reading), and what of it is written down. */
import type { Database } from "better-sqlite3";
import type { FailedCheck } from "../check-name.ts";
import type { Deployment } from "../deployment.ts";
import { dropSnapshot, readSync, touch } from "../store/sync-row.ts";
import { readSnapshot, type Snapshot } from "../view/views.ts";
import { Attempts } from "./attempts.ts";
import type { Verdict } from "./verdict.ts";

/** A good pass that found nothing new is written down this seldom (ms). */
const TOUCH_INTERVAL = 5_000;

/** A publisher that has asked nobody for so many graces was asleep; a shorter pause is silence like any other. */
const LONGEST_BREAK_IN_GRACES = 4;

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
  readonly #attempts: Attempts;
  #verdict: Verdict;
  #moved = 0;
  #touchedAt = 0;
  #hasRunOutOfTime = false;

  /** As the file says; `grace` in ms, `now` gives epoch ms. */
  constructor(
    db: Database,
    options: { readonly deployment: Deployment; readonly grace: number; readonly now: () => number },
  ) {
    const { deployment, grace, now } = options;
    this.#db = db;
    this.#deployment = deployment;
    this.#grace = grace;
    this.#attempts = new Attempts(LONGEST_BREAK_IN_GRACES * grace);
    const sync = readSync(db);
    this.#verdict = {
      snapshot: sync.snapshot === null ? undefined : readSnapshot(sync.snapshot),
      safe: sync.indexedThroughBlock === undefined ? undefined : sync.stored?.block,
      // One from the future, written by a wrong clock, says nothing of how long the nodes have been silent.
      lastGoodPassAt:
        sync.snapshot === null || (sync.lastGoodPassAt ?? 0) > now() + grace ? undefined : sync.lastGoodPassAt,
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

  /** An attempt begins; all in epoch ms. */
  begin(now: number, deadline: number): void {
    // What was unavailable for want of an attempt is judged anew.
    if (this.#attempts.begin(now, deadline)) this.#moved++;
  }

  end(now: number): void {
    this.#attempts.end(now);
  }

  /** Epoch ms since which the nodes are being asked without a break. */
  askingSince(now: number): number | undefined {
    return this.#attempts.since(now);
  }

  /** `at` in epoch ms; `found` where anything had moved. */
  goodPass(at: number, found: Found = {}): void {
    const wasSilent = this.isSilent(at);
    this.#hasRunOutOfTime = false;
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

  /** `otherSafe`: the safe block of the node, where its chain is another one. */
  mismatch(failure: FailedCheck, otherSafe?: bigint): void {
    dropSnapshot(this.#db);
    const coreMismatch = { failure, otherSafe };
    this.#change({ coreMismatch, snapshot: undefined, lastGoodPassAt: undefined, failed: true });
  }

  /** `economyMismatch`: a check of the economy that fails, although the pass came to nothing else. */
  fail(economyMismatch?: FailedCheck): void {
    const isNews = economyMismatch !== undefined && economyMismatch.check !== this.#verdict.economyMismatch?.check;
    if (isNews) this.#change({ failed: true, economyMismatch });
    else if (!this.#verdict.failed) this.#change({ failed: true });
  }

  /** A pass ran out of time: one that stores nothing may be slow, a second one running has failed. */
  ranOutOfTime(): void {
    if (this.#hasRunOutOfTime) this.fail();
    this.#hasRunOutOfTime = true;
  }

  /** A range was stored: the last attempt has not failed after all. */
  progress(): void {
    this.#hasRunOutOfTime = false;
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

/**
 * Which installations a cycle has to plan: those that have moved since the last cycle, those that are due by time, and
 * those of which something is left to do (docs/spec/publishing.md#ten-thousand). A new process goes on from where the lease
 * object says that the last one was; where it does not say, it plans all.
 */
import type { Database } from "better-sqlite3";
import { changedSince, type LedgerPoint } from "../../src/ledger/read/changes.ts";
import {
  type Installation,
  installationNo,
  installationsAfter,
  readInstallation,
} from "../../src/ledger/watermarks.ts";

/** Of one cycle; looked up a few at a time, so that no step is long. */
export class InstallationsToPlan {
  /** How far the ledger had come when they were found; undefined without a ledger. */
  readonly point: LedgerPoint | undefined;
  /** Numbers of those that have moved; undefined: all are planned. */
  readonly #moved: readonly number[] | undefined;
  readonly #others: Iterator<string>;
  readonly #taken = new Set<number>();
  #next = 0;

  /** `others`: ids, of which the ledger may not know all. */
  constructor(point: LedgerPoint | undefined, moved: readonly number[] | undefined, others: Iterable<string>) {
    this.point = point;
    this.#moved = moved;
    this.#others = others[Symbol.iterator]();
  }

  /** At most `most` of those that have not been taken yet, none twice; undefined: that was all. */
  take(ledger: Database, most: number): Installation[] | undefined {
    if (this.#moved === undefined) {
      const next = installationsAfter(ledger, this.#next, most);
      this.#next = next.at(-1)?.no ?? this.#next;
      return next.length === 0 ? undefined : next;
    }
    const numbers = this.#moved.slice(this.#next, this.#next + most);
    this.#next += numbers.length;
    if (numbers.length > 0) return this.#untaken(numbers.flatMap((no) => readInstallation(ledger, no) ?? []));
    const found: Installation[] = [];
    for (let asked = 0; asked < most; asked++) {
      const { done, value: id } = this.#others.next();
      if (done) return asked === 0 ? undefined : this.#untaken(found);
      const no = installationNo(ledger, id);
      if (no !== undefined) found.push({ no, id });
    }
    return this.#untaken(found);
  }

  #untaken(installations: readonly Installation[]): Installation[] {
    return installations.filter(({ no }) => {
      const isNew = !this.#taken.has(no);
      this.#taken.add(no);
      return isNew;
    });
  }
}

export class MovedInstallations {
  #point: LedgerPoint | undefined;
  readonly #unfinished: Set<string>;

  constructor(from?: { readonly point: LedgerPoint; readonly left: readonly string[] }) {
    this.#point = from?.point;
    this.#unfinished = new Set(from?.left);
  }

  /** How far the last cycle has settled the ledger; undefined before the first, and where all are planned. */
  get point(): LedgerPoint | undefined {
    return this.#point;
  }

  /** Ids of those of which something is left to do, whatever the reason. */
  get unfinished(): ReadonlySet<string> {
    return this.#unfinished;
  }

  /** All of the ledger's where it cannot say which have moved. `due`: ids, of which the ledger may not know all. */
  find(ledger: Database | undefined, due: Iterable<string>): InstallationsToPlan {
    if (ledger === undefined) return new InstallationsToPlan(undefined, [], []);
    const { now, installations } = changedSince(ledger, this.#point);
    return new InstallationsToPlan(now, installations, concat(due, [...this.#unfinished]));
  }

  /** Something of it could not be published: the next cycle plans it again, moved or not. */
  leave(installationId: string): void {
    this.#unfinished.add(installationId);
  }

  finish(installationId: string): void {
    this.#unfinished.delete(installationId);
  }

  /** All that were found have been planned. */
  settle({ point }: InstallationsToPlan): void {
    this.#point = point;
  }

  /** The next cycle plans all: the ledger is another. */
  forget(): void {
    this.#point = undefined;
  }
}

function* concat<T>(one: Iterable<T>, other: Iterable<T>): Iterable<T> {
  yield* one;
  yield* other;
}

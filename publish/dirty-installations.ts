/**
 * The installations that a cycle has to plan: those with new facts since the last cycle, those that are due by time,
 * and those with unpublished facts (docs/spec/publishing.md#ten-thousand). A new process continues from the checkpoint
 * in the lease object. Without a checkpoint it plans all of them.
 */
import { changedSince, type LedgerPoint } from "../src/ledger/read/changes.ts";
import {
  type Installation,
  installationRowId,
  installationsAfter,
  readInstallation,
} from "../src/ledger/watermarks.ts";
import type { ReadOnlyDatabase } from "../src/sqlite/statement.ts";

/** The dirty installations of one cycle, looked up a few at a time so that no step is long. */
export class DirtyBatch {
  /** The ledger's position when they were found; undefined without a ledger. */
  readonly point: LedgerPoint | undefined;
  /** Row ids of installations with new facts; undefined: all installations are planned. */
  readonly #changed: readonly number[] | undefined;
  readonly #others: Iterator<string>;
  readonly #taken = new Set<number>();
  #next = 0;

  /** `others`: ids. The ledger may not know all of them. */
  constructor(point: LedgerPoint | undefined, changed: readonly number[] | undefined, others: Iterable<string>) {
    this.point = point;
    this.#changed = changed;
    this.#others = others[Symbol.iterator]();
  }

  /** Returns the next installations, at most `limit`, each once; undefined at the end. */
  take(ledger: ReadOnlyDatabase, limit: number): Installation[] | undefined {
    if (this.#changed === undefined) {
      const next = installationsAfter(ledger, this.#next, limit);
      this.#next = next.at(-1)?.rowId ?? this.#next;
      return next.length === 0 ? undefined : next;
    }
    const numbers = this.#changed.slice(this.#next, this.#next + limit);
    this.#next += numbers.length;
    if (numbers.length > 0)
      return this.#withoutTaken(numbers.flatMap((rowId) => readInstallation(ledger, rowId) ?? []));
    const found: Installation[] = [];
    for (let asked = 0; asked < limit; asked++) {
      const { done, value: id } = this.#others.next();
      if (done) return asked === 0 ? undefined : this.#withoutTaken(found);
      const rowId = installationRowId(ledger, id);
      if (rowId !== undefined) found.push({ rowId, id });
    }
    return this.#withoutTaken(found);
  }

  #withoutTaken(installations: readonly Installation[]): Installation[] {
    const fresh = installations.filter(({ rowId }) => !this.#taken.has(rowId));
    for (const { rowId } of fresh) this.#taken.add(rowId);
    return fresh;
  }
}

export class DirtyInstallations {
  #point: LedgerPoint | undefined;
  readonly #unpublished: Set<string>;

  constructor(from?: { readonly point: LedgerPoint; readonly left: readonly string[] }) {
    this.#point = from?.point;
    this.#unpublished = new Set(from?.left);
  }

  /** The ledger's position up to which every installation was planned; undefined if the next cycle plans all of them. */
  get point(): LedgerPoint | undefined {
    return this.#point;
  }

  /** Ids of installations with facts at or before `point` that could not be published. */
  get unpublished(): ReadonlySet<string> {
    return this.#unpublished;
  }

  /** `due`: ids of installations that are due now. The ledger may not know all of them. */
  find(ledger: ReadOnlyDatabase | undefined, due: Iterable<string>): DirtyBatch {
    if (ledger === undefined) return new DirtyBatch(undefined, [], []);
    const { now, installations } = changedSince(ledger, this.#point);
    return new DirtyBatch(now, installations, concat(due, [...this.#unpublished]));
  }

  /** Makes the next cycle plan the installation again, with or without new facts. */
  keep(installationId: string): void {
    this.#unpublished.add(installationId);
  }

  clear(installationId: string): void {
    this.#unpublished.delete(installationId);
  }

  /** Records that every installation of the batch was planned. */
  planned({ point }: DirtyBatch): void {
    this.#point = point;
  }

  /** Makes the next cycle plan all installations, because the ledger was replaced. */
  forget(): void {
    this.#point = undefined;
  }
}

function* concat<T>(one: Iterable<T>, other: Iterable<T>): Iterable<T> {
  yield* one;
  yield* other;
}

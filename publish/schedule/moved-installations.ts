/**
 * Which installations a cycle has to plan: those that have moved since the last cycle, those that are due by time, and
 * those of which something is left to do (docs/spec/publishing.md#ten-thousand). In memory: a new process plans all.
 */
import type { Database } from "better-sqlite3";
import { changedSince, type LedgerPoint } from "../../src/ledger/read/changes.ts";
import { type Installation, installationNo, listInstallations, readInstallation } from "../../src/ledger/watermarks.ts";

/** Of one cycle. */
export interface InstallationsToPlan {
  readonly installations: readonly Installation[];
  /** How far the ledger had come when they were found; undefined without a ledger. */
  readonly point: LedgerPoint | undefined;
}

export class MovedInstallations {
  #point: LedgerPoint | undefined;
  readonly #unfinished = new Set<string>();

  /** All of the ledger's where it cannot say which have moved. `due`: ids, of which the ledger may not know all. */
  find(ledger: Database | undefined, due: Iterable<string>): InstallationsToPlan {
    if (ledger === undefined) return { installations: [], point: undefined };
    const { now, installations: moved } = changedSince(ledger, this.#point);
    if (moved === undefined) return { installations: listInstallations(ledger), point: now };
    const found = new Map<number, Installation>();
    for (const no of moved) {
      const installation = readInstallation(ledger, no);
      if (installation !== undefined) found.set(no, installation);
    }
    for (const id of new Set([...due, ...this.#unfinished])) {
      const no = installationNo(ledger, id);
      if (no !== undefined) found.set(no, { no, id });
    }
    return { installations: [...found.values()], point: now };
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

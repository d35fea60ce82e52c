/** The ledgers of a model test. Each one records its facts, so that two can be compared without the product. */
import type { Database } from "better-sqlite3";
import { expect } from "vitest";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import { ingest } from "../../ledger/ingest.ts";
import { closure, instant, type Json, module, receipt, round, uuid } from "../../ledger/samples.ts";
import type { Random } from "../../support/random.ts";

export const IDS = ["wheel-1", "wheel-2"] as const;
export type Id = (typeof IDS)[number];
export const KINDS = ["receipts", "rounds", "modules"] as const;
export type Kind = (typeof KINDS)[number];

/** A fact is identified by the ledger that created it. A copy shares the facts of its original. */
export type Facts = Readonly<Record<Kind, readonly number[]>>;
const NO_FACTS: Facts = { receipts: [], rounds: [], modules: [] };
/** The offset that separates the facts of unrelated ledgers. */
export const LEDGERS = 10;

/** An accepted fact. */
export interface Taken {
  readonly id: Id;
  readonly kind: Kind;
  readonly maker: number;
}

export class ModelLedger {
  readonly db: Database;
  readonly facts: Record<Id, Facts> = { "wheel-1": NO_FACTS, "wheel-2": NO_FACTS };
  /** All facts of all installations in the order of acceptance. */
  readonly order: Taken[] = [];
  readonly #records: Json[] = [];
  readonly path: string;
  readonly number: number;

  constructor(path: string, number: number) {
    this.path = path;
    this.number = number;
    this.db = openLedgerForIntake(path);
  }

  /** Accepts facts in batches of random size. Some records are sent again later, which changes nothing. */
  take(added: readonly Taken[], random: Random): void {
    const records: Json[] = [];
    for (const fact of added) {
      const { id, kind, maker } = fact;
      const facts = this.facts[id];
      records.push(...recordsOf(id, kind, facts[kind].length, maker));
      this.facts[id] = { ...facts, [kind]: [...facts[kind], maker] };
      this.order.push(fact);
    }
    while (records.length > 0) {
      const batch = records.splice(0, 1 + random.below(records.length));
      expect(ingest(this.db, batch)).toMatchObject({ accepted: batch.length, rejected: 0 });
      this.#records.push(...batch);
      if (random.once(4)) this.#repeat(random.below(this.#records.length));
    }
  }

  /** Sends some records again, from an index on. */
  #repeat(from: number): void {
    const again = this.#records.slice(from, from + 20);
    expect(ingest(this.db, again)).toMatchObject({ accepted: 0, duplicate: again.length, rejected: 0 });
  }
}

/** Receipts reach a milestone every few positions, and different ones in each ledger. */
function recordsOf(id: Id, kind: Kind, index: number, maker: number): Json[] {
  const installationId = id;
  const base = id === "wheel-1" ? 0 : 0x10_0000;
  if (kind === "receipts") {
    const n = index + 1;
    // Some forks have the same ids with other values.
    const telemetryId = uuid(base + n + (maker % 2 === 0 ? 0 : maker * 0x1_0000));
    const cumulativeWorkUnits = String(LEDGERS * n + maker);
    return [receipt(n, { installationId, telemetryId, cumulativeWorkUnits, distanceMm: 400_000 * n + 40_000 * maker })];
  }
  const at = instant(600 * (index + 1));
  if (kind === "rounds") {
    const workUnits = String(workOf(id, maker));
    return [
      round(index, { installationId, workUnits, closedAt: at }),
      closure(index, index, { installationId, acceptedAt: at }),
    ];
  }
  const instanceId = `m${String(index).padStart(3, "0")}`;
  return [module({ installationId, instanceId, moduleVersion: `1.0.${maker}`, observedAt: at })];
}

/** Statistics have no installation id, but the size of their sum identifies it. */
function workOf(id: Id, maker: number): number {
  return (id === "wheel-1" ? 1 : 1_000_000) * (100 + maker);
}

export const sumOf = (id: Id, rounds: readonly number[]) => rounds.reduce((sum, maker) => sum + workOf(id, maker), 0);
export const isPrefix = (before: readonly unknown[], now: readonly unknown[]) =>
  before.every((fact, at) => now[at] === fact);

/** An installation's facts as runs of their creators: "0x80 2x10". */
export function runs(facts: readonly number[]): string {
  const parts: [maker: number, count: number][] = [];
  for (const maker of facts) {
    const last = parts.at(-1);
    if (last?.[0] === maker) last[1]++;
    else parts.push([maker, 1]);
  }
  return parts.map(([maker, count]) => `${maker}x${count}`).join(" ");
}

export type Expected = "published" | "refused" | "either";

/** The log that is certainly published, and logs that a disturbed cycle may have put. */
export class PublishedLog {
  #certain: readonly Taken[] = [];
  #possible: (readonly Taken[])[] = [];

  /** The expected outcome for a publisher with this ledger. */
  expected({ order }: ModelLedger): Expected {
    const continues = (before: readonly Taken[]) => isPrefix(before.map(nameOf), order.map(nameOf));
    if (!continues(this.#certain)) return "refused";
    return this.#possible.every(continues) ? "published" : "either";
  }

  publish({ order }: ModelLedger): void {
    this.#certain = [...order];
    this.#possible = [];
  }

  mayPublish({ order }: ModelLedger): void {
    this.#possible.push([...order]);
  }
}

/** Two facts with the same name, at the same place, are the same record. */
export function nameOf({ id, kind, maker }: Taken): string {
  return `${id} ${kind} ${maker}`;
}

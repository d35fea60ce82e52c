/** One valid record of each type, and an in-memory ledger for them. */
import SqliteDatabase, { type Database } from "better-sqlite3";
import { logPoint } from "../../src/ledger/log.ts";
import { LEDGER_SCHEMA } from "../../src/ledger/schema.ts";
import { ingest } from "./ingest.ts";

export type Json = Readonly<Record<string, unknown>>;

export function uuid(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
}

export const HASH = `0x${"ab".repeat(32)}`;

/** 2026-11-20T10:00:00.000Z plus this many seconds. */
export function instant(seconds: number): string {
  return new Date(Date.UTC(2026, 10, 20, 10) + seconds * 1000).toISOString();
}

export function receipt(n: number, changes: Json = {}): Json {
  return {
    type: "receipt",
    installationId: "wheel-1",
    telemetryId: uuid(n),
    bootId: uuid(0xb007),
    counterEpoch: uuid(0xe90c),
    sequence: n,
    observedAt: instant(3 * n),
    receivedAt: instant(3 * n + 0.25),
    cumulativeWorkUnits: String(10 * n),
    provenance: "hardware",
    softwareVersion: "1.4.2",
    coreStatus: "ACTIVE",
    rpmMilli: 43000,
    speedMmPerSecond: 612,
    distanceMm: 1000 * n,
    ...changes,
  };
}

export function epoch(changes: Json = {}): Json {
  return { type: "epoch", installationId: "wheel-1", counterEpoch: uuid(0xe90c), approvedAt: instant(0), ...changes };
}

export function module(changes: Json = {}): Json {
  return {
    type: "module",
    installationId: "wheel-1",
    instanceId: "encoder-0",
    moduleType: "encoder",
    driverId: "as5600",
    moduleVersion: "2.1.0",
    schemaVersion: 1,
    state: "ready",
    observedAt: instant(0),
    provenance: "hardware",
    health: { checkedAt: instant(-1), message: "well", code: "ok" },
    data: {},
    resources: {},
    configuration: {},
    configurationVersion: "7",
    enabled: true,
    ...changes,
  };
}

export function round(roundId: number | string, changes: Json = {}): Json {
  return {
    type: "round",
    installationId: "wheel-1",
    roundId: String(roundId),
    workUnits: "600",
    distanceMm: "5300",
    eligible: true,
    closedAt: instant(0),
    ...changes,
  };
}

export function closure(firstRound: number | string, lastRound: number | string, changes: Json = {}): Json {
  return {
    type: "closure",
    installationId: "wheel-1",
    firstRound: String(firstRound),
    lastRound: String(lastRound),
    acceptedAt: instant(0),
    ...changes,
  };
}

export function oracle(changes: Json = {}): Json {
  return { type: "oracle", installationId: "wheel-1", blockedReason: "signature_mismatch", at: instant(0), ...changes };
}

/** In the lifecycle preparing only preparedAt is set. */
export function submission(changes: Json = {}): Json {
  return {
    type: "submission",
    installationId: "wheel-1",
    submissionId: uuid(0x5b),
    lifecycle: "preparing",
    previousSettledThroughRound: "4000",
    settledThroughRound: "4016",
    activeRoundCount: 9,
    expected: { cumulativeWork: "100", blockHeight: "10", currentWork: "1", completedBlockCount: "2" },
    transactionHash: null,
    preparedAt: instant(0),
    submittedAt: null,
    terminalAt: null,
    confirmedAt: null,
    outcomeCode: null,
    ...changes,
  };
}

export function reporterRun(changes: Json = {}): Json {
  return {
    type: "reporter_run",
    installationId: "wheel-1",
    startedAt: instant(0),
    finishedAt: instant(5),
    result: "submitted",
    ...changes,
  };
}

export function settlementControl(changes: Json = {}): Json {
  return {
    type: "settlement_control",
    installationId: "wheel-1",
    settlementEnabled: true,
    reporterEnvironmentEnabled: true,
    blockedReason: null,
    incidentOpen: false,
    at: instant(0),
    ...changes,
  };
}

/** The receipts with the numbers `from` to `to`. */
export function receipts(from: number, to: number, changes: Json = {}): Json[] {
  return Array.from({ length: to - from + 1 }, (_, index) => receipt(from + index, changes));
}

export function emptyLedger(): Database {
  return new SqliteDatabase(":memory:").exec(LEDGER_SCHEMA);
}

/** The verdicts on the records, in order: accepted, duplicate, or `code field`. */
export function verdicts(db: Database, ...records: readonly Json[]): string[] {
  return records.map((record) => verdict(db, JSON.stringify(record)));
}

/** The verdict on one line. */
export function verdict(db: Database, line: string | Uint8Array): string {
  const { accepted, duplicate, rejections } = ingest(db, line);
  const [rejection] = rejections;
  if (rejection !== undefined) return `${rejection.fault.code} ${rejection.fault.field ?? "-"}`;
  return accepted === 1 ? "accepted" : duplicate === 1 ? "duplicate" : "nothing";
}

/** All rows of all tables, for comparing two ledgers regardless of their batches. */
export function contents(db: Database): Record<string, unknown> {
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all() as string[];
  const rows = tables.map((table) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()]);
  return { ...Object.fromEntries(rows), log: logPoint(db) };
}

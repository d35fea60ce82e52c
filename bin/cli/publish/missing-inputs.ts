/** Finds the missing inputs that explain a 503 or an unavailable part, which the response itself does not name. */
import { existsSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { openLedgerForReading, readLedger } from "../../../src/ledger/open.ts";
import type { FactKind } from "../../../src/ledger/schema.ts";
import { installationRowId, readWatermarks } from "../../../src/ledger/watermarks.ts";
import { RANGES, statisticsKey } from "../../../src/resources/statistics/route.ts";
import { Failure } from "../../../src/values/failure.ts";
import { ROUND_SECONDS } from "../../../src/values/round.ts";
import type { Warning } from "../messages.ts";
import type { Settings } from "../settings/settings.ts";

/** The parts of a published response that this module reads. */
interface ResponseStatus {
  readonly key: string;
  readonly status: number | null;
}

/** Warns if statistics are 503 because the start of round 0 is neither configured nor known from a chain. */
export function missingGenesis(responses: readonly ResponseStatus[], settings: Settings): Warning[] {
  if (settings.genesisTimestamp !== undefined || !areStatisticsMissing(responses)) return [];
  const hint =
    settings.rpcUrl === undefined
      ? `Set genesisTimestamp (seconds, a multiple of ${ROUND_SECONDS}), or a chain, which has it.`
      : "The chain has it once its safe block is read; until then, set genesisTimestamp by hand.";
  return [{ code: "no_genesis", message: "the statistics are 503: the start of round 0 is unknown", hint }];
}

/** Before anything is published, the statistics will be 503 without their inputs. */
export const UNPUBLISHED: readonly ResponseStatus[] = RANGES.map((range) => ({
  key: statisticsKey(range),
  status: 503,
}));

/** Returns the missing inputs of published responses, as far as the ledger on this host shows them. */
export function missingInputs(responses: readonly ResponseStatus[], settings: Settings): Warning[] {
  if (!areStatisticsMissing(responses)) return [];
  const counts = ledgerCounts(settings);
  return [...missingGenesis(responses, settings), ...(counts === undefined ? [] : missingRounds(counts))];
}

/** Warns if no round is covered by a closure, because statistics need such rounds. */
function missingRounds(counts: (kind: FactKind) => number): Warning[] {
  const kind = (["round", "closure"] as const).find((one) => counts(one) === 0);
  if (kind === undefined) return [];
  const rounds = counts("round");
  const found = kind === "round" ? "no round" : `${rounds === 1 ? "1 round" : `${rounds} rounds`} and no closure`;
  return [
    {
      code: `no_${kind}s`,
      message: `the statistics are 503: the ledger has ${found}`,
      hint: `Statistics are made of rounds that a closure covers. \`noonmark ingest --example ${kind}\` shows such a record.`,
    },
  ];
}

function areStatisticsMissing(responses: readonly ResponseStatus[]): boolean {
  const keys = RANGES.map(statisticsKey);
  return responses.some(({ key, status }) => keys.includes(key) && status === 503);
}

/**
 * Counts facts in the ledger; undefined if it is not on this host, lacks the installation or cannot be read. A user who
 * monitors the store may have no right to read the ledger.
 */
function ledgerCounts({ ledger: path, installationId }: Settings): ((kind: FactKind) => number) | undefined {
  if (path === "none" || installationId === undefined || !existsSync(path)) return undefined;
  let ledger: Database | undefined;
  try {
    ledger = openLedgerForReading(path);
    const marks = readLedger(ledger, (db) => {
      const rowId = installationRowId(db, installationId);
      return rowId === undefined ? undefined : readWatermarks(db, rowId);
    });
    return marks && ((kind) => marks[kind]);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  } finally {
    ledger?.close();
  }
}

/**
 * The latest snapshot of each module (docs/spec/intake.md#module): key (instanceId, observedAt); a later one replaces
 * it.
 */
import { readRow, run } from "../../../sqlite/statement.ts";
import { formatTimestamp } from "../../../values/timestamp.ts";
import { canonicalJson } from "../decode/canonical-json.ts";
import type { RecordOf } from "../decode/records.ts";
import { conflict, type Verdict } from "../fault.ts";
import type { InstallationState, InstallationStates } from "./installation-states.ts";
import { integer } from "./stored.ts";

type Module = RecordOf<"module">;

export function acceptModule(states: InstallationStates, state: InstallationState, module: Module): Verdict {
  const { db } = states;
  const { instanceId, observedAt } = module;
  const stored = readRow<{ observedAt: number; record: string }>(db, STORED, state.rowId, instanceId);
  if (stored !== undefined && observedAt < stored.observedAt) return "duplicate";
  const record = normalised(module);
  if (stored !== undefined && observedAt === stored.observedAt) {
    return record === stored.record
      ? "duplicate"
      : conflict("observedAt", "another snapshot has this instanceId and observedAt");
  }
  run(
    db,
    REPLACE,
    states.exist(state),
    instanceId,
    module.moduleType,
    module.driverId,
    module.moduleVersion,
    integer(module.schemaVersion),
    module.state,
    observedAt,
    module.provenance,
    module.health.checkedAt,
    record,
  );
  return "accepted";
}

/** The whole record in one form: instants in UTC, keys sorted, numbers as ECMAScript reads them. */
function normalised({ health, ...module }: Module): string {
  const checkedAt = formatTimestamp(health.checkedAt);
  const observedAt = formatTimestamp(module.observedAt);
  // fromEntries defines its keys, as JSON.parse does: a key `__proto__` stays one.
  const reported = Object.fromEntries([...Object.entries(health.reported), ["checkedAt", checkedAt]]);
  return canonicalJson({ ...module, observedAt, health: reported });
}

const STORED = "SELECT observed_at AS observedAt, record FROM module WHERE installation = ? AND instance_id = ?";

const REPLACE = "INSERT OR REPLACE INTO module VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

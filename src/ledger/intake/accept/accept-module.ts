/**
 * Keeps the latest snapshot of each module (docs/spec/intake.md#module). The key is (instanceId, observedAt); a later
 * snapshot replaces the stored one. Fields that no route has are checked, and not kept.
 */
import { readRow, run } from "../../../sqlite/statement.ts";
import { conflict, type IntakeOutcome } from "../fault.ts";
import type { RecordOf } from "../record-types.ts";
import { type Installation, integer, isSame } from "./installation.ts";

export function acceptModule(installation: Installation, module: RecordOf<"module">): IntakeOutcome {
  const { db } = installation;
  const { instanceId, observedAt } = module;
  const incoming = {
    moduleType: module.moduleType,
    driverId: module.driverId,
    moduleVersion: module.moduleVersion,
    schemaVersion: module.schemaVersion,
    state: module.state,
    observedAt,
    provenance: module.provenance,
    checkedAt: module.health.checkedAt,
  };
  const stored = readRow<typeof incoming>(db, STORED, installation.rowId, instanceId);
  if (stored !== undefined && observedAt < stored.observedAt) return "duplicate";
  if (stored !== undefined && observedAt === stored.observedAt) {
    return isSame(stored, incoming)
      ? "duplicate"
      : conflict("observedAt", "another snapshot has this instanceId and observedAt");
  }
  const columns = Object.values({ ...incoming, schemaVersion: integer(module.schemaVersion) });
  run(db, REPLACE, installation.ensureRow(), instanceId, ...columns);
  return "accepted";
}

const STORED = `
SELECT module_type AS moduleType, driver_id AS driverId, module_version AS moduleVersion,
       schema_version AS schemaVersion, state, observed_at AS observedAt, provenance, health_checked_at AS checkedAt
FROM module WHERE installation = ? AND instance_id = ?`;

const REPLACE = "INSERT OR REPLACE INTO module VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/**
 * Keeps the latest snapshot of each module (docs/spec/intake.md#module). The key is (instanceId, observedAt); a later
 * snapshot replaces the stored one.
 */
import { readRow, run } from "../../../sqlite/statement.ts";
import { formatTimestamp } from "../../../values/timestamp.ts";
import { canonicalJson } from "../decode/canonical-json.ts";
import { conflict, type Verdict } from "../fault.ts";
import type { RecordOf } from "../record-types.ts";
import { type Installation, integer } from "./installation.ts";

type Module = RecordOf<"module">;

export function acceptModule(installation: Installation, module: Module): Verdict {
  const { db } = installation;
  const { instanceId, observedAt } = module;
  const stored = readRow<{ observedAt: number; record: string }>(db, STORED, installation.rowId, instanceId);
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
    installation.ensureRow(),
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

/** Returns the record as canonical JSON with its instants in UTC. */
function normalised({ health, ...module }: Module): string {
  return canonicalJson({ ...module, observedAt: formatTimestamp(module.observedAt), health: health.reported });
}

const STORED = "SELECT observed_at AS observedAt, record FROM module WHERE installation = ? AND instance_id = ?";

const REPLACE = "INSERT OR REPLACE INTO module VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

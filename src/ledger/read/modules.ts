/** Reads the publishable fields of the modules' latest snapshots (docs/spec/intake.md#module). */
import { type ReadOnlyDatabase, readRows } from "../../sqlite/statement.ts";

export interface ModuleSnapshot {
  readonly instanceId: string;
  readonly moduleType: string;
  readonly driverId: string;
  readonly moduleVersion: string;
  readonly schemaVersion: number;
  readonly state: string;
  /** observedAt and healthCheckedAt are epoch ms. */
  readonly observedAt: number;
  readonly provenance: string;
  readonly healthCheckedAt: number;
}

/** Sorts by instanceId in code units (docs/spec/api.md#modules), whereas SQLite would sort by UTF-8 bytes. */
export function readModules(ledger: ReadOnlyDatabase, installation: number): ModuleSnapshot[] {
  const sql = `SELECT instance_id AS instanceId, module_type AS moduleType, driver_id AS driverId,
      module_version AS moduleVersion, schema_version AS schemaVersion, state, observed_at AS observedAt, provenance,
      health_checked_at AS healthCheckedAt
    FROM module WHERE installation = ?`;
  const modules = readRows<ModuleSnapshot>(ledger, sql, installation);
  return modules.sort((a, b) => (a.instanceId < b.instanceId ? -1 : a.instanceId > b.instanceId ? 1 : 0));
}

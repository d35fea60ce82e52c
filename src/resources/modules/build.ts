/**
 * Builds the latest snapshot of each module (docs/spec/api.md#modules), sanitised: `health` has only `checkedAt`, and
 * `data` is empty.
 */
import type { ModuleSnapshot } from "../../ledger/read/modules.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import type { Built } from "../built.ts";
import { modulesSchema } from "./contract.ts";

/** `modules` are ordered by instanceId. An empty array is a valid response. */
export function buildModules(installationId: string, modules: readonly ModuleSnapshot[]): Built {
  const body = JSON.stringify(
    modulesSchema.parse({
      schemaVersion: 1,
      installationId,
      modules: modules.map((module) => ({
        instanceId: module.instanceId,
        moduleType: module.moduleType,
        driverId: module.driverId,
        moduleVersion: module.moduleVersion,
        schemaVersion: module.schemaVersion,
        state: module.state,
        observedAt: formatTimestamp(module.observedAt),
        provenance: module.provenance,
        health: { checkedAt: formatTimestamp(module.healthCheckedAt) },
        data: {},
      })),
    }),
  );
  return { status: 200, headers: {}, body, fingerprintText: body };
}

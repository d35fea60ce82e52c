/** Publishes telemetry (docs/spec/api.md#telemetry), and the template for unknown installations. */

import { readNewestReceipt } from "../../ledger/read/receipts.ts";
import { installationRowId } from "../../ledger/watermarks.ts";
import { factsInput } from "../inputs.ts";
import type { Publication } from "../publication.ts";
import { buildTelemetry } from "./build.ts";
import { installationTelemetryKey, TELEMETRY_KEY, UNKNOWN_TELEMETRY_KEY } from "./route.ts";

/** The configured installation has a separate key, which both of its telemetry routes read. */
export function telemetryPublication(installationId: string, configured: boolean): Publication {
  return {
    resource: "telemetry",
    key: configured ? TELEMETRY_KEY : installationTelemetryKey(installationId),
    sources: { installationId, kinds: ["receipt"] },
    inputs: (snapshot) => factsInput(snapshot, installationId, ["receipt"]),
    build({ ledger }, at) {
      const rowId = ledger && installationRowId(ledger, installationId);
      return buildTelemetry(installationId, ledger && rowId ? readNewestReceipt(ledger, rowId) : undefined, at);
    },
  };
}

/** The shim inserts the id into this template for an installation that is not in the index. */
export const unknownTelemetryPublication: Publication = {
  resource: "telemetry",
  key: UNKNOWN_TELEMETRY_KEY,
  inputs: () => "",
  build: (_snapshot, at) => buildTelemetry("{installationId}", undefined, at),
};

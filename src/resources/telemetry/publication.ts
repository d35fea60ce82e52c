/** Telemetry (docs/spec/api.md#telemetry) as a publication, and the template for an unknown installation. */

import { readNewestReceipt } from "../../ledger/read/receipts.ts";
import { installationRowId } from "../../ledger/watermarks.ts";
import { factsInput } from "../inputs.ts";
import type { Publication } from "../publication.ts";
import { buildTelemetry } from "./build.ts";
import { installationTelemetryKey, TELEMETRY_KEY, UNKNOWN_TELEMETRY_KEY } from "./route.ts";

/** The configured installation has a key of its own; both of its telemetry routes read it. */
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

/** The shim's response for an installation that the index does not name, with the id put in. */
export const unknownTelemetryPublication: Publication = {
  resource: "telemetry",
  key: UNKNOWN_TELEMETRY_KEY,
  inputs: () => "",
  build: (_snapshot, at) => buildTelemetry("{installationId}", undefined, at),
};

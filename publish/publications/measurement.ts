/** Telemetry and modules (read-api.md 4.1, 4.2) as publications, and the index that names the installations. */
import { encodeInstallations } from "../../src/http/installations.ts";
import {
  INSTALLATIONS_KEY,
  installationTelemetryKey,
  MODULES_KEY,
  TELEMETRY_KEY,
  UNKNOWN_TELEMETRY_KEY,
} from "../../src/http/keys.ts";
import { readModules } from "../../src/ledger/read/modules.ts";
import { readNewestReceipt } from "../../src/ledger/read/receipts.ts";
import type { FactKind } from "../../src/ledger/schema.ts";
import { installationNo, readWatermarks } from "../../src/ledger/watermarks.ts";
import { buildModules } from "../../src/resources/modules/build.ts";
import { buildTelemetry } from "../../src/resources/telemetry/build.ts";
import type { Publication } from "../answers/publication.ts";
import type { Sources } from "../sources/sources.ts";

/** The configured installation has a key of its own; both of its telemetry routes read it. */
export function telemetryPublication(installationId: string, configured: boolean): Publication {
  return {
    resource: "telemetry",
    key: configured ? TELEMETRY_KEY : installationTelemetryKey(installationId),
    installationId,
    inputs: (sources) => watermark(sources, installationId, "receipt"),
    build(sources, at) {
      const { ledger, no } = factsOf(sources, installationId);
      return buildTelemetry(installationId, ledger && no ? readNewestReceipt(ledger, no) : undefined, at);
    },
  };
}

export function modulesPublication(installationId: string): Publication {
  return {
    resource: "modules",
    key: MODULES_KEY,
    inputs: (sources) => watermark(sources, installationId, "module"),
    build(sources) {
      const { ledger, no } = factsOf(sources, installationId);
      return buildModules(installationId, ledger && no ? readModules(ledger, no) : []);
    },
  };
}

/** What the shim answers for an installation that the index does not name, with the id put in. */
export const unknownTelemetryPublication: Publication = {
  resource: "telemetry",
  key: UNKNOWN_TELEMETRY_KEY,
  inputs: () => "",
  build: (_sources, at) => buildTelemetry("{installationId}", undefined, at),
};

/** `histories` names the history in which each installation's observations stand. */
export function installationsPublication(configured: string, histories: ReadonlyMap<string, string>): Publication {
  const text = () => encodeInstallations({ configured, histories });
  return {
    resource: "observations",
    key: INSTALLATIONS_KEY,
    inputs: text,
    build: () => ({ status: 200, headers: {}, body: text(), identity: text() }),
  };
}

function factsOf(sources: Sources, installationId: string) {
  const ledger = sources.facts?.ledger;
  return { ledger, no: ledger === undefined ? undefined : installationNo(ledger, installationId) };
}

function watermark(sources: Sources, installationId: string, kind: FactKind): string {
  const { ledger, no } = factsOf(sources, installationId);
  return ledger === undefined || no === undefined ? "none" : String(readWatermarks(ledger, no)[kind] ?? 0);
}

/** Publishes modules (docs/spec/api.md#modules). */

import { readModules } from "../../ledger/read/modules.ts";
import { installationRowId } from "../../ledger/watermarks.ts";
import { factsInput } from "../inputs.ts";
import type { Publication } from "../publication.ts";
import { buildModules } from "./build.ts";
import { MODULES_KEY } from "./route.ts";

export function modulesPublication(installationId: string): Publication {
  return {
    resource: "modules",
    key: MODULES_KEY,
    sources: { kinds: ["module"] },
    inputs: (snapshot) => factsInput(snapshot, installationId, ["module"]),
    build({ ledger }) {
      const rowId = ledger && installationRowId(ledger, installationId);
      return buildModules(installationId, ledger && rowId ? readModules(ledger, rowId) : []);
    },
  };
}

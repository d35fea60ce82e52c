/** Modules (docs/spec/api.md#modules) as a publication. */
import { MODULES_KEY } from "../../http/keys.ts";
import { readModules } from "../../ledger/read/modules.ts";
import { installationNo } from "../../ledger/watermarks.ts";
import { factCount } from "../fact-count.ts";
import type { Publication } from "../publication.ts";
import { buildModules } from "./build.ts";

export function modulesPublication(installationId: string): Publication {
  return {
    resource: "modules",
    key: MODULES_KEY,
    inputs: (snapshot) => factCount(snapshot, installationId, "module"),
    build({ ledger }) {
      const no = ledger && installationNo(ledger, installationId);
      return buildModules(installationId, ledger && no ? readModules(ledger, no) : []);
    },
  };
}

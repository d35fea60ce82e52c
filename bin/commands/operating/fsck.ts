/** `noonmark fsck`: every invariant of the stored objects, from their bytes alone (docs/fsck.md). */
import type { Command } from "commander";
import { leaseClaim } from "../../../publish/lease/lease-claim.ts";
import { parsePrivateStatus } from "../../../publish/status/private-status.ts";
import { fsck } from "../../../src/fsck/fsck.ts";
import { reportJson, reportLines } from "../../../src/fsck/report.ts";
import { RULES } from "../../../src/fsck/rules.ts";
import { EXIT } from "../../../src/values/failure.ts";
import { openConfiguredStore } from "../../cli/open-configured-store.ts";
import { loadSettings, settingOptions } from "../../cli/settings/settings.ts";

export function registerFsck(program: Command): void {
  const command = program
    .command("fsck")
    .description("read every stored object and say what is not as a publisher leaves it; writes nothing")
    .option("--json", "as one JSON object: objects, findings")
    .option("--rules", "list the rules by name, read nothing");
  settingOptions(command, ["store"]).action(async ({ json, rules }: { json?: boolean; rules?: boolean }) => {
    if (rules === true) {
      for (const [name, says] of Object.entries(RULES)) console.log(`${name.padEnd(18)} ${says}`);
      return;
    }
    const store = await openConfiguredStore(loadSettings(command.opts()), { write: false });
    const report = await fsck(store, { now: Date.now(), parseLease: leaseClaim, parsePrivateStatus });
    if (json === true) console.log(reportJson(report));
    else for (const line of reportLines(report)) console.log(line);
    if (report.findings.length > 0) process.exitCode = EXIT.failed;
  });
}

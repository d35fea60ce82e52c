/** `noonmark fsck`: checks every invariant of the stored objects, from their bytes only (docs/fsck.md). */
import type { Command } from "commander";
import { fsck, reportJson, reportLines } from "../../../src/fsck/fsck.ts";
import { RULES } from "../../../src/fsck/rules.ts";
import { openConfiguredStore } from "../../cli/configured-store.ts";
import { EXIT } from "../../cli/failures.ts";
import { print } from "../../cli/messages.ts";
import { judgeSettings } from "../../cli/publish/judge-settings.ts";
import { loadSettings } from "../../cli/settings/load-settings.ts";
import { CYCLE_SETTINGS, settingOptions } from "../../cli/settings/setting-options.ts";
import type { Settings } from "../../cli/settings/settings.ts";

interface Flags {
  readonly json?: boolean;
  readonly rules?: boolean;
  readonly repair?: boolean;
}

export function registerFsck(program: Command): void {
  const command = program
    .command("fsck")
    .option("--repair", "restore what the ledger and the chain can give, under the lease, and name the rest")
    .option("--json", "as one JSON object: objects, findings, repaired")
    .option("--rules", "list the rules by name and read nothing");
  settingOptions(command, [...CYCLE_SETTINGS]).action(async ({ json, rules, repair }: Flags) => {
    if (rules === true) {
      await print(Object.entries(RULES).map(([name, says]) => `${name.padEnd(18)} ${says}`));
      return;
    }
    const report = await examined(loadSettings(command.opts(), ["store"]), repair === true);
    await print(json === true ? reportJson(report) : reportLines(report));
    if (report.findings.length > 0) process.exitCode = EXIT.failed;
  });
}

/** Returns the findings; after a repair, those that remain. */
async function examined(settings: Settings, isRepair: boolean) {
  if (isRepair) await judgeSettings(settings, Date.now());
  const store = await openConfiguredStore(settings, { write: isRepair });
  const before = await fsck(store, { now: Date.now() });
  if (!isRepair || before.findings.length === 0) return before;
  // A check without repair must not load the publisher.
  const { repair } = await import("../../cli/repair.ts");
  await repair(settings, store);
  const after = await fsck(store, { now: Date.now() });
  const left = new Set(after.findings.map(({ rule, key }) => `${rule} ${key}`));
  return { ...after, repaired: before.findings.filter(({ rule, key }) => !left.has(`${rule} ${key}`)) };
}

/** `noonmark fsck`: checks every stored object, and writes nothing (docs/verify.md#fsck). */
import type { Command } from "commander";
import { fsck, reportLines } from "../../../src/verify/store/fsck.ts";
import { openConfiguredStore } from "../../cli/configured-store.ts";
import { EXIT } from "../../cli/failures.ts";
import { print } from "../../cli/messages.ts";
import { loadSettings } from "../../cli/settings/load-settings.ts";
import { settingOptions } from "../../cli/settings/settings.ts";

export function registerFsck(program: Command): void {
  const command = program.command("fsck").option("--json", "one JSON object: objects, findings");
  settingOptions(command, ["store"]).action(async ({ json }: { readonly json?: boolean }) => {
    const settings = loadSettings(command.opts(), ["store"]);
    const report = await fsck(await openConfiguredStore(settings, { write: false }), Date.now());
    await print(json === true ? JSON.stringify(report) : reportLines(report));
    if (report.findings.length > 0) process.exitCode = EXIT.failed;
  });
}

/** `noonmark config show`: each effective setting and its origin. */
import type { Command } from "commander";
import { print } from "../../cli/messages.ts";
import { effectiveSettings, shownValue } from "../../cli/settings/load-settings.ts";
import { settingOptions } from "../../cli/settings/setting-options.ts";
import { SETTING_NAMES, unitOf } from "../../cli/settings/settings.ts";

export function registerConfig(program: Command): void {
  const config = program.command("config").description("show the settings");
  const show = config
    .command("show")
    .description("print each effective setting and where it comes from; addresses that may hold a key are not shown")
    .option("--json", "as one JSON array of {name, value, unit, origin}");
  settingOptions(show, SETTING_NAMES).action(async ({ json }: { json?: boolean }) => {
    const settings = effectiveSettings(show.opts());
    if (json === true) {
      const list = settings.map(({ name, value, origin, isSecret }) => ({
        name,
        value: isSecret && value !== undefined ? "set, and not shown" : (value ?? null),
        unit: unitOf(name) ?? null,
        origin,
      }));
      await print(JSON.stringify(list));
      return;
    }
    const rows = settings.map((setting) => [setting.name, shownValue(setting), setting.origin] as const);
    const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)) + 2);
    await print(
      rows.map(([name, value, origin]) => `${name.padEnd(widths[0] ?? 0)}${value.padEnd(widths[1] ?? 0)}${origin}`),
    );
  });
}

/** Which settings are flags of which commands: lists that several commands share, and one function that adds them. */
import type { Command } from "commander";
import { DEFAULT_CONFIGURATION } from "./load-settings.ts";
import { CONFIG_VARIABLE, environmentName, flagName, SETTINGS, type SettingName } from "./settings.ts";

/** Settings of the sources of responses. */
export const SOURCE_SETTINGS = [
  "installationId",
  "ledger",
  "state",
  "deployment",
  "rpcUrl",
  "rpcQuorum",
  "genesisTimestamp",
] as const satisfies readonly SettingName[];

/** Settings of a publisher's cycle. */
export const CYCLE_SETTINGS = [
  ...SOURCE_SETTINGS,
  "store",
  "chainMaxAge",
  "chainInterval",
  "site",
  "deadline",
] as const satisfies readonly SettingName[];

/** Additional settings of each command that has `store`. */
const STORE_SETTINGS: readonly SettingName[] = ["s3Provider", "s3Endpoint", "s3Region", "singleWriter"];

/** Adds `--config` and a flag for each named setting to a command. */
export function settingOptions(command: Command, names: readonly SettingName[]): Command {
  command.option("--config <file>", `configuration file (${CONFIG_VARIABLE}; by default ${DEFAULT_CONFIGURATION})`);
  for (const name of new Set(names.includes("store") ? [...names, ...STORE_SETTINGS] : names)) {
    const { form, help } = SETTINGS[name];
    const argument = form.startsWith("[") ? form : `<${form}>`;
    command.option(`--${flagName(name)} ${argument}`, `${help} (${environmentName(name)})`);
  }
  return command;
}

/** The flags of a command's settings. */
import type { Command } from "commander";
import { DEFAULT_CONFIGURATION } from "./configuration-file.ts";
import { environmentName, flagName } from "./setting-names.ts";
import { SETTINGS, type SettingName } from "./settings.ts";

/** What answers are made from. */
export const SOURCE_SETTINGS = [
  "installationId",
  "ledger",
  "state",
  "deployment",
  "rpcUrl",
  "rpcQuorum",
  "genesisTimestamp",
] as const satisfies readonly SettingName[];

/** What one cycle of a publisher goes by. */
export const CYCLE_SETTINGS = [
  ...SOURCE_SETTINGS,
  "store",
  "chainGrace",
  "chainWord",
  "chainInterval",
  "statisticsInterval",
  "site",
  "publicUrl",
  "explorerUrl",
  "deadline",
] as const satisfies readonly SettingName[];

/** What comes with `store` wherever a command takes it. */
const OF_THE_STORE: readonly SettingName[] = ["s3Provider", "s3Endpoint", "s3Region", "s3PathStyle", "singleWriter"];

/** Adds `--config` and a flag for each named setting to a command. */
export function settingOptions(command: Command, names: readonly SettingName[]): Command {
  command.option("--config <file>", "configuration file", DEFAULT_CONFIGURATION);
  for (const name of new Set(names.includes("store") ? [...names, ...OF_THE_STORE] : names)) {
    const { value } = SETTINGS[name];
    const argument = value.startsWith("[") ? value : `<${value}>`;
    command.option(`--${flagName(name)} ${argument}`, `${SETTINGS[name].help} (${environmentName(name)})`);
  }
  return command;
}

/**
 * Loads settings. Flags override variables, variables the file, and the file the defaults. All settings are checked
 * before anything is touched, and all mistakes are reported at once.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { redactUrl } from "../../../src/chain/rpc/secrets.ts";
import { pathFault } from "../../../src/files/short-file.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable } from "../../../src/values/printable.ts";
import { errorMessage, isObject, isOneOf, systemCode } from "../../../src/values/unknown.ts";
import { type Warning, warn } from "../messages.ts";
import {
  CONFIG_VARIABLE,
  DEFAULT_CONFIGURATION,
  environmentName,
  flagName,
  isKubernetesVariable,
  mayHoldSecret,
  type PlacedSetting,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type Settings,
  unitOf,
  unknownVariables,
} from "./settings.ts";

export interface SettingSources {
  readonly environment?: NodeJS.ProcessEnv;
  readonly onWarning?: (warning: Warning) => void;
}

/** A setting's value and its origin. */
interface EffectiveSetting {
  readonly name: SettingName;
  readonly value: unknown;
  /** `--port`, `NOONMARK_PORT`, the file's path, or `default`. */
  readonly origin: string;
  readonly isSecret: boolean;
}

/**
 * Checks all settings, not only those the command uses, so that each command reports mistakes. A command started in a
 * wrong directory must not make a ledger or a store there. So each one that the command `needs` must be given, or there
 * must be a configuration. Throws `Failure`.
 */
export function loadSettings(
  flags: Readonly<Record<string, unknown>>,
  needs: readonly PlacedSetting[],
  sources: SettingSources = {},
): Settings {
  const entries = effectiveSettings(flags, sources, needs).map(({ name, value }) => [name, value] as const);
  return Object.fromEntries(entries) as Settings;
}

/** Returns each setting in the order of the table. Throws `Failure`, invalid_setting if several are wrong. */
function effectiveSettings(
  flags: Readonly<Record<string, unknown>>,
  { environment = process.env, onWarning = warn }: SettingSources = {},
  needs: readonly PlacedSetting[] = [],
): EffectiveSetting[] {
  const path = configurationPath(flags, environment);
  const found = readConfiguration(path);
  const file = found ?? {};
  const given = { flags, environment, file, path, onWarning };
  warnOfUnknownVariables(environment, onWarning);
  const mistakes = unknownKeys(file, path);
  const settings = SETTING_NAMES.map((name): EffectiveSetting => {
    const { raw, shown, origin } = firstGiven(name, given);
    const judged = judge(name, raw);
    if ("wrong" in judged) mistakes.push(invalid(name, `${shown}: ${judged.wrong}`, path));
    if (origin === DEFAULT && found === undefined && needs.some((need) => need === name))
      mistakes.push(misplaced(name));
    const written = "wrong" in judged ? undefined : judged.value;
    const isOfFile = origin === path || origin === DEFAULT;
    const value = isOfFile ? relativeToFile(name, written, path) : written;
    return { name, value, origin, isSecret: SETTINGS[name].isSecret === true };
  });
  // Values that are wrong by themselves are reported first.
  if (mistakes.length === 0) mistakes.push(...incompleteChain(settings));
  const [first] = mistakes;
  if (first === undefined) {
    warnOfKeyInFlag(settings, onWarning);
    return settings;
  }
  throw mistakes.length === 1 ? first : all(mistakes);
}

function warnOfKeyInFlag(settings: readonly EffectiveSetting[], onWarning: Given["onWarning"]): void {
  const { value, origin } = settings.find(({ name }) => name === "rpcUrl") ?? {};
  if (origin === RPC_FLAG && typeof value === "string") warnOfKey(value.split(","), onWarning);
}

const RPC_FLAG = `--${flagName("rpcUrl")}`;

/** Warns of addresses on the command line: every user of the machine can read it in the process list. */
export function warnOfKey(addresses: readonly string[], onWarning: Given["onWarning"] = warn): void {
  if (!addresses.some(mayHoldKey)) return;
  onWarning({
    code: "secret_in_arguments",
    message: `${RPC_FLAG} may hold a key, and shows it to every user of this machine, in the process list`,
    hint: `Set ${environmentName("rpcUrl")} instead.`,
  });
}

/** Providers of nodes put the key into the path, too. */
function mayHoldKey(address: string): boolean {
  return redactUrl(address.trim()).endsWith("/…");
}

function all(mistakes: readonly Failure[]): Failure {
  const hint = `Correct each of these:\n  ${mistakes.map(({ message }) => message).join("\n  ")}`;
  return new Failure("invalid_setting", `${mistakes.length} settings are wrong`, { hint });
}

function unknownKeys(file: Readonly<Record<string, unknown>>, path: string): Failure[] {
  return Object.keys(file)
    .filter((key) => !isOneOf(SETTING_NAMES, key))
    .map((key) => {
      const message = `${resolve(path)}: unknown key ${printable(JSON.stringify(key))}`;
      return new Failure("invalid_setting", message, { hint: `Known keys: ${SETTING_NAMES.join(", ")}.` });
    });
}

/** The path of `noonmark.json`: `--config`, else the variable, else in the working directory. */
export function configurationPath(
  flags: Readonly<Record<string, unknown>>,
  environment: NodeJS.ProcessEnv = process.env,
): string {
  if (typeof flags.config === "string") return flags.config;
  return environment[CONFIG_VARIABLE] ?? DEFAULT_CONFIGURATION;
}

/** Other programs may use the prefix, too, so an unknown variable is no failure. */
function warnOfUnknownVariables(environment: NodeJS.ProcessEnv, onWarning: Given["onWarning"]): void {
  for (const variable of unknownVariables(environment)) {
    onWarning({
      code: "unknown_variable",
      message: `${printable(variable)} is not a setting`,
      hint: "Correct or remove it. `noonmark status --settings` prints every setting and its origin.",
    });
  }
}

type Judged = { readonly value: unknown } | { readonly wrong: string };

function judge(name: SettingName, raw: unknown): Judged {
  const { schema, isPath } = SETTINGS[name] as Setting<unknown>;
  const fault = typeof raw === "string" && isPath?.(raw) === true ? pathFault(raw) : undefined;
  if (fault !== undefined) return { wrong: fault };
  const parsed = schema.safeParse(raw);
  return parsed.success ? { value: parsed.data } : { wrong: parsed.error.issues[0]?.message ?? "is invalid" };
}

function invalid(name: SettingName, message: string, path: string): Failure {
  return new Failure("invalid_setting", message, {
    hint: `${name} (${SETTINGS[name].help}): give ${waysToGive(name, path)}.`,
  });
}

/** Rejects one of the two settings that a chain needs. With only one, its views would be disabled silently. */
function incompleteChain(settings: readonly EffectiveSetting[]): Failure[] {
  const isSet = (name: SettingName) => settings.some((one) => one.name === name && one.value !== undefined);
  if (isSet("deployment") === isSet("rpcUrl")) return [];
  const [present, missing] = isSet("rpcUrl")
    ? (["rpcUrl", "deployment"] as const)
    : (["deployment", "rpcUrl"] as const);
  const hint = `Give --${flagName(missing)} <${SETTINGS[missing].form}> too, or neither: the chain's views are then disabled.`;
  return [new Failure("invalid_setting", `${present} is set and ${missing} is not: a chain needs both`, { hint })];
}

/** Makes a relative path from the file or a default relative to the file. Returns any other value unchanged. */
function relativeToFile(name: SettingName, value: unknown, path: string): unknown {
  const directory = dirname(path);
  return isRelativePath(name, value) && directory !== "." ? join(directory, value) : value;
}

function isRelativePath(name: SettingName, value: unknown): value is string {
  return typeof value === "string" && SETTINGS[name].isPath?.(value) === true && !isAbsolute(value);
}

/** Returns a setting that a command requires. A ledger that is `none` is none. */
export function required<Name extends SettingName>(settings: Settings, name: Name): NonNullable<Settings[Name]> {
  const value = settings[name];
  if (value !== undefined && value !== null && !(name === "ledger" && value === "none")) return value;
  const what =
    value === "none" ? `${name} is none, but this command needs one` : `${name} (${SETTINGS[name].help}) is not set`;
  throw new Failure("invalid_setting", what, { hint: `Give ${waysToGive(name, DEFAULT_CONFIGURATION)}.` });
}

function waysToGive(name: SettingName, path: string): string {
  return `--${flagName(name)} <${SETTINGS[name].form}>, ${environmentName(name)} or the key ${name} of ${path}`;
}

function misplaced(name: SettingName): Failure {
  const { help, form } = SETTINGS[name];
  const message = `there is no ${DEFAULT_CONFIGURATION} in ${process.cwd()}, and ${name} (${help}) is not set`;
  const hint = `Run the command in the directory of noonmark.json, name that file with --config or ${CONFIG_VARIABLE}, or give --${flagName(name)} <${form}>.`;
  return new Failure("invalid_setting", message, { hint });
}

interface Given {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: NodeJS.ProcessEnv;
  readonly file: Readonly<Record<string, unknown>>;
  /** Path of the configuration file. */
  readonly path: string;
  readonly onWarning: (warning: Warning) => void;
}

const DEFAULT = "default";

interface First {
  readonly raw: unknown;
  /** The setting in messages. An address may contain a key and is not shown. */
  readonly shown: string;
  readonly origin: string;
}

function firstGiven(name: SettingName, given: Given): First {
  const { path } = given;
  for (const place of [flagOf, variableOf, keyOf]) {
    const found = place(name, given);
    if (found !== undefined) return found;
  }
  return { raw: undefined, shown: `${path}: ${name}`, origin: DEFAULT };
}

type Place = (name: SettingName, given: Given) => First | undefined;

const flagOf: Place = (name, { flags }) => {
  if (flags[name] === undefined) return undefined;
  const flag = `--${flagName(name)}`;
  return { raw: flags[name], shown: shownAs(name, flag, flags[name]), origin: flag };
};

const variableOf: Place = (name, { environment, path, onWarning }) => {
  const variable = environmentName(name);
  const value = environment[variable];
  if (value === undefined) return undefined;
  if (isKubernetesVariable(variable, value)) {
    onWarning({
      code: "variable_passed_over",
      message: `${variable} ${printable(value)} is Kubernetes' address of a service, and is ignored`,
      hint: `Give --${flagName(name)}, or the key ${name} of ${path}.`,
    });
    return undefined;
  }
  return { raw: value, shown: shownAs(name, variable, value), origin: variable };
};

const keyOf: Place = (name, { file, path }) => {
  const raw = file[name];
  if (raw === undefined) return undefined;
  return { raw, shown: shownAs(name, `${path}: ${name}`, raw), origin: path };
};

/** Describes a value in a message; secrets are hidden. */
function shownAs(name: SettingName, place: string, raw: unknown): string {
  const isHidden = SETTINGS[name].isSecret || (typeof raw === "string" && mayHoldSecret(raw));
  return isHidden ? place : `${place} ${printable(JSON.stringify(raw) ?? "")}`;
}

/** The effective settings for `status --settings`, with units and without secrets: lines, or one JSON array. */
export function settingsText(flags: Readonly<Record<string, unknown>>, isJson: boolean): string | readonly string[] {
  const settings = effectiveSettings(flags);
  if (isJson) {
    const list = settings.map(({ name, value, origin, isSecret }) => ({
      name,
      value: isSecret && value !== undefined ? HIDDEN : (value ?? null),
      unit: unitOf(name) ?? null,
      origin,
    }));
    return JSON.stringify(list);
  }
  const rows = settings.map((setting) => [setting.name, shownValue(setting), setting.origin] as const);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)) + 2);
  return rows.map(([name, value, origin]) => `${name.padEnd(widths[0] ?? 0)}${value.padEnd(widths[1] ?? 0)}${origin}`);
}

const HIDDEN = "set, and not shown";

function shownValue({ name, value, isSecret }: EffectiveSetting): string {
  if (value === undefined) return "not set";
  if (isSecret) return HIDDEN;
  const unit = unitOf(name);
  return `${JSON.stringify(value)}${unit === undefined ? "" : ` ${unit}`}`;
}

/**
 * Returns the unchecked keys and values of `noonmark.json` (JSON with comments); undefined if the default file is
 * missing. Throws `Failure` invalid_setting if it is unreadable, not JSON (with line and column), or not an object.
 */
function readConfiguration(path: string): Record<string, unknown> | undefined {
  if (path === DEFAULT_CONFIGURATION && !existsSync(path)) return undefined;
  const fail = (where: string, message: string, hint: string, cause?: unknown) =>
    new Failure("invalid_setting", `${resolve(path)}${where}: ${message}`, { hint, cause });
  const fault = pathFault(path);
  if (fault !== undefined) {
    throw new Failure(
      "invalid_setting",
      `the path in --config or ${CONFIG_VARIABLE}, ${JSON.stringify(path)}, ${fault}`,
    );
  }
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const code = systemCode(cause);
    const message = errorMessage(cause);
    const closed = code === "EACCES" || code === "EPERM";
    const hint = closed
      ? `Let this user read it, or run the command as the user who may: ls -l ${resolve(path)}`
      : "Name another file with --config, or write one with `noonmark init`.";
    throw fail("", `cannot be read: ${message}`, hint, cause);
  }
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) throw fail(placeOf(text, error.offset), words(printParseErrorCode(error.error)), FORM_HINT);
  if (!isObject(value)) throw fail("", "is not one JSON object", FORM_HINT);
  return value;
}

const FORM_HINT = "Correct it there. `noonmark init --config FILE` writes a file of the right form.";

/** Returns `:3:14`, line and column as editors count them. */
function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

/** Converts `CommaExpected` to `comma expected`. */
function words(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}

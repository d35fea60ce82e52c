/** A flag goes before a variable before the file; all are judged before anything is touched. */
import { EXIT, Failure } from "../../../src/values/failure.ts";
import { DEFAULT_CONFIGURATION, readConfiguration } from "./configuration-file.ts";
import { environmentName, flagName, unknownVariables } from "./setting-names.ts";
import { SETTING_NAMES, SETTINGS, type SettingName, type Settings } from "./settings.ts";

/** Of these a message shows no value. */
const SECRET: ReadonlySet<SettingName> = new Set(["rpcUrl", "fronts"]);

/** All settings, whichever a command uses: a mistake in the file is seen by every command. Throws `Failure`. */
export function loadSettings(flags: Readonly<Record<string, unknown>>, environment = process.env): Settings {
  const path = typeof flags.config === "string" ? flags.config : DEFAULT_CONFIGURATION;
  const file = readConfiguration(path, SETTING_NAMES);
  refuseMisspelt(environment);
  const settings: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const [raw, origin] = firstGiven(name, { flags, environment, file, path });
    const parsed = SETTINGS[name].schema.safeParse(raw);
    if (!parsed.success) {
      throw new Failure("invalid_setting", `${origin}: ${parsed.error.issues[0]?.message ?? "is invalid"}`, {
        exit: EXIT.usage,
        hint: `${name} (${SETTINGS[name].help}): give --${flagName(name)} <${SETTINGS[name].value}>, ${environmentName(name)} or the key ${name} of ${path}.`,
      });
    }
    settings[name] = parsed.data;
  }
  refuseHalfAChain(settings as Settings);
  return settings as Settings;
}

/** Variables of ours that no setting has; somebody else's may begin as ours do, so only a near miss is refused. */
function refuseMisspelt(environment: NodeJS.ProcessEnv): void {
  const unknown = unknownVariables(environment).find(({ meant }) => meant !== undefined);
  if (unknown === undefined) return;
  throw new Failure("unknown_variable", `${unknown.variable} is no setting; did you mean ${unknown.meant}?`, {
    exit: EXIT.usage,
    hint: "`noonmark init` writes a file with every setting and its variable.",
  });
}

/** A chain needs both; with one of them the views would be disabled without a word. */
function refuseHalfAChain({ deployment, rpcUrl }: Settings): void {
  if ((deployment === undefined) === (rpcUrl === undefined)) return;
  const [given, missing]: SettingName[] =
    deployment === undefined ? ["rpcUrl", "deployment"] : ["deployment", "rpcUrl"];
  throw new Failure("missing_setting", `${given} is set and ${missing} is not: a chain needs both`, {
    exit: EXIT.usage,
    hint: `Give --${flagName(missing ?? "")} <${SETTINGS[missing as SettingName].value}> too, or neither: the chain's views are then disabled.`,
  });
}

/** A setting that a command cannot do without. */
export function required<Name extends SettingName>(settings: Settings, name: Name): NonNullable<Settings[Name]> {
  const value = settings[name];
  if (value === undefined || value === null) {
    throw new Failure("missing_setting", `${name} (${SETTINGS[name].help}) is not set`, {
      exit: EXIT.usage,
      hint: `Give --${flagName(name)} <${SETTINGS[name].value}>, ${environmentName(name)}, or the key ${name} of noonmark.json.`,
    });
  }
  return value as NonNullable<Settings[Name]>;
}

interface Given {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: NodeJS.ProcessEnv;
  readonly file: Readonly<Record<string, unknown>>;
  /** Of the file. */
  readonly path: string;
}

/** What `raw` is, and how a message calls it; an address may hold a key and is not shown. */
function firstGiven(name: SettingName, { flags, environment, file, path }: Given): [unknown, string] {
  const shown = (raw: unknown) => (SECRET.has(name) ? "" : ` ${JSON.stringify(raw)}`);
  if (flags[name] !== undefined) return [flags[name], `--${flagName(name)}${shown(flags[name])}`];
  const variable = environmentName(name);
  if (environment[variable] !== undefined && environment[variable] !== "") {
    return [environment[variable], `${variable}${shown(environment[variable])}`];
  }
  return [file[name], `${path}: ${name}${shown(file[name])}`];
}

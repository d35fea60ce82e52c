/**
 * The one configuration (docs/spec/publishing.md#sources): each setting is a key of `noonmark.json`, a flag and an
 * environment variable; a flag goes before a variable before the file. All are judged before anything is touched.
 */
import type { Command } from "commander";
import { z } from "zod";
import { storeLocation } from "../../../src/object-store/location.ts";
import { S3_PROVIDERS, type S3ProviderName } from "../../../src/object-store/s3/providers.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import { isNameableInstallationId } from "../../../src/values/installation-id.ts";
import { metricsSetting } from "../metrics/address.ts";
import { DEFAULT_CONFIGURATION, readConfiguration } from "./configuration-file.ts";
import { nearestName } from "./nearest-name.ts";

interface Setting<T> {
  readonly schema: z.ZodType<T>;
  readonly value: string;
  readonly help: string;
}

function setting<T>(schema: z.ZodType<T>, value: string, help: string): Setting<T> {
  return { schema, value, help };
}

/** A number, or the text of one; nothing else that JavaScript would make a number of. */
function numeric<T extends z.ZodType<number>>(schema: T) {
  return z.preprocess((value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value), schema);
}

const number = z.number("is no number");
const seconds = numeric(number.positive("must be above 0"));
/** Looked at once a second; beyond a day Node's timers end. */
const timeout = numeric(number.min(1, "must be 1 to 86400").max(86_400, "must be 1 to 86400"));
/** As it can stand in a header and in every front's file. */
export const frontSecret = z
  .string()
  .regex(/^[A-Za-z0-9._~+/=-]{16,128}$/, "none, any, or a secret of 16 to 128 characters of A-Z a-z 0-9 . _ ~ + / = -");
const flag = z.union([z.boolean(), z.stringbool({ truthy: ["true", "1"], falsy: ["false", "0"] })], {
  error: "is neither true nor false",
});
const PROVIDER_NAMES = Object.keys(S3_PROVIDERS) as S3ProviderName[];

/** Without a slash at its end, so that a path may follow. */
function webAddress(protocol: RegExp) {
  return z.url({ protocol }).transform((url) => url.replace(/\/+$/, ""));
}

function isHttpAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

export const SETTINGS = {
  installationId: setting(
    z.string().refine(isNameableInstallationId, "1 to 128 characters of A-Z a-z 0-9 . _ : -").optional(),
    "id",
    "the public installation",
  ),
  ledger: setting(z.string().min(1).default(".noonmark/ledger.db"), "path|none", "the ledger of accepted facts"),
  store: setting(
    z
      .string()
      .min(1)
      .refine((text) => storeLocation(text) !== undefined, "is neither a directory nor s3://bucket/prefix")
      .default(".noonmark/public"),
    "directory|s3://…",
    "where answers are published",
  ),
  s3Provider: setting(
    z.enum(PROVIDER_NAMES).optional(),
    PROVIDER_NAMES.join("|"),
    "whose S3 the store is, for path style and region",
  ),
  s3Endpoint: setting(z.url({ protocol: /^https?$/ }).optional(), "url", "of an S3 store; AWS where absent"),
  s3Region: setting(z.string().min(1).optional(), "region", "of an S3 store"),
  s3PathStyle: setting(flag.optional(), "[true|false]", "an S3 store's bucket stands in the path, not in the host"),
  singleWriter: setting(
    flag.default(false),
    "[true|false]",
    "nobody else publishes there: take an S3 store that judges no conditions",
  ),
  state: setting(z.string().min(1).default(".noonmark/state"), "directory", "the publisher's own files"),
  deployment: setting(z.string().min(1).optional(), "file", "deployment.json of the settlement chain"),
  rpcUrl: setting(
    z
      .string()
      .refine((text) => text.split(",").every((one) => isHttpAddress(one.trim())), "an address in it is no http(s) URL")
      .optional(),
    "url[,url]",
    "the chain's JSON-RPC, in order of preference",
  ),
  host: setting(z.string().min(1).default("127.0.0.1"), "address", "where `serve` listens"),
  port: setting(
    numeric(number.int("must be a whole number").min(0, "must be 0 to 65535").max(65535, "must be 0 to 65535")).default(
      8787,
    ),
    "number",
    "the port of `serve`, 0 for any free one",
  ),
  fronts: setting(
    z.union([z.enum(["none", "any"]), frontSecret]).default("none"),
    "none|any|secret",
    "whose caches `serve` tells how long an answer may be kept: nobody's, anybody's, or those that know a secret",
  ),
  workers: setting(
    numeric(number.int("must be a whole number").min(1, "must be 1 to 64").max(64, "must be 1 to 64")).default(1),
    "number",
    "processes of `serve` behind its one port, at most one for each core; each costs some 80 MB",
  ),
  maxConnections: setting(
    numeric(number.int("must be a whole number").min(1, "must be above 0")).optional(),
    "number",
    "connections of `serve`; 4096 unless the limit of open files allows fewer; an idle one costs some 20 kB",
  ),
  requestTimeout: setting(
    timeout.default(15),
    "seconds",
    "in which a request must have arrived; longer lets slow senders hold more connections",
  ),
  readerTimeout: setting(
    timeout.default(30),
    "seconds",
    "in which a reader must take an answer; longer lets those who do not read hold more memory, shorter cuts slow lines",
  ),
  keepAliveTimeout: setting(
    timeout.default(65),
    "seconds",
    "that a connection may be idle; shorter than a front's own (nginx: 60) costs a request now and then",
  ),
  genesisTimestamp: setting(
    numeric(
      number
        .int("must be a whole number")
        .nonnegative("must be 0 or more")
        .multipleOf(600, "must be a multiple of 600"),
    ).optional(),
    "seconds",
    "the start of round 0, a multiple of 600",
  ),
  chainGrace: setting(seconds.default(15), "seconds", "silence of the chain before its views are unavailable"),
  chainWord: setting(seconds.default(600), "seconds", "how long a chain view stands after the last good pass"),
  chainInterval: setting(seconds.default(4), "seconds", "between two passes over the chain"),
  statisticsInterval: setting(seconds.default(30), "seconds", "least time between two computations of a range"),
  site: setting(flag.default(true), "[true|false]", "publish page, reference and feeds beside the API"),
  publicUrl: setting(webAddress(/^https?$/).optional(), "url", "where readers find the API; for the feeds' links"),
  explorerUrl: setting(webAddress(/^https$/).optional(), "url", "of a block explorer, for the page's links"),
  metrics: setting(
    metricsSetting,
    "host:port",
    "where a publisher, a shim or an `ingest --follow` tells Prometheus of itself, each on an address of its own (such as 127.0.0.1:9464), or none",
  ),
  cadence: setting(z.string().min(1).default("* * * * * *"), "cron", "when `publish` runs a cycle (UTC)"),
  deadline: setting(seconds.default(120), "seconds", "the longest that one run of `publish --once` may take"),
  logLevel: setting(
    z.enum(["fatal", "error", "warn", "info", "debug", "trace"]).default("info"),
    "level",
    "of the log",
  ),
  logFormat: setting(
    z.enum(["auto", "pretty", "json"]).default("auto"),
    "auto|pretty|json",
    "of the log: lines for people, or JSON; auto is for people on a terminal",
  ),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;
export type Settings = { [Name in SettingName]: z.output<(typeof SETTINGS)[Name]["schema"]> };

/** What comes with `store` wherever a command takes it. */
const OF_THE_STORE: readonly SettingName[] = ["s3Provider", "s3Endpoint", "s3Region", "s3PathStyle", "singleWriter"];

/** Adds `--config` and a flag for each named setting to a command. */
export function settingOptions(command: Command, names: readonly SettingName[]): Command {
  command.option("--config <file>", "configuration file", DEFAULT_CONFIGURATION);
  for (const name of names.includes("store") ? [...names, ...OF_THE_STORE] : names) {
    const { value } = SETTINGS[name];
    const argument = value.startsWith("[") ? value : `<${value}>`;
    command.option(`--${kebab(name)} ${argument}`, `${SETTINGS[name].help} (${environmentName(name)})`);
  }
  return command;
}

const NAMES = Object.keys(SETTINGS) as SettingName[];
const PREFIX = "NOONMARK_";

/** All settings, whichever a command uses: a mistake in the file is seen by every command. Throws `Failure`. */
export function loadSettings(flags: Readonly<Record<string, unknown>>, environment = process.env): Settings {
  const path = typeof flags.config === "string" ? flags.config : DEFAULT_CONFIGURATION;
  const file = readConfiguration(path, NAMES);
  refuseMisspelt(environment);
  const settings: Record<string, unknown> = {};
  for (const name of NAMES) {
    const [raw, origin] = firstGiven(name, { flags, environment, file, path });
    const parsed = SETTINGS[name].schema.safeParse(raw);
    if (!parsed.success) {
      throw new Failure("invalid_setting", `${origin}: ${parsed.error.issues[0]?.message ?? "is invalid"}`, {
        exit: EXIT.usage,
        hint: `${name} (${SETTINGS[name].help}): give --${kebab(name)} <${SETTINGS[name].value}>, ${environmentName(name)} or the key ${name} of ${path}.`,
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

/** Each variable that begins as ours and is none, with the one that was probably meant. */
export function unknownVariables(environment = process.env): { variable: string; meant: string | undefined }[] {
  const endings = NAMES.map((name) => environmentName(name).slice(PREFIX.length));
  return Object.keys(environment)
    .filter((variable) => variable.startsWith(PREFIX) && !endings.includes(variable.slice(PREFIX.length)))
    .map((variable) => {
      const near = nearestName(variable.slice(PREFIX.length), endings);
      return { variable, meant: near === undefined ? undefined : PREFIX + near };
    });
}

/** A chain needs both; with one of them the views would be disabled without a word. */
function refuseHalfAChain({ deployment, rpcUrl }: Settings): void {
  if ((deployment === undefined) === (rpcUrl === undefined)) return;
  const [given, missing]: SettingName[] =
    deployment === undefined ? ["rpcUrl", "deployment"] : ["deployment", "rpcUrl"];
  throw new Failure("missing_setting", `${given} is set and ${missing} is not: a chain needs both`, {
    exit: EXIT.usage,
    hint: `Give --${kebab(missing ?? "")} <${SETTINGS[missing as SettingName].value}> too, or neither: the chain's views are then disabled.`,
  });
}

/** A setting that a command cannot do without. */
export function required<Name extends SettingName>(settings: Settings, name: Name): NonNullable<Settings[Name]> {
  const value = settings[name];
  if (value === undefined || value === null) {
    throw new Failure("missing_setting", `${name} (${SETTINGS[name].help}) is not set`, {
      exit: EXIT.usage,
      hint: `Give --${kebab(name)} <${SETTINGS[name].value}>, ${environmentName(name)}, or the key ${name} of noonmark.json.`,
    });
  }
  return value as NonNullable<Settings[Name]>;
}

/** `installationId` → `NOONMARK_INSTALLATION_ID`. */
export function environmentName(name: string): string {
  return `NOONMARK_${kebab(name).replaceAll("-", "_").toUpperCase()}`;
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
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
  if (flags[name] !== undefined) return [flags[name], `--${kebab(name)}${shown(flags[name])}`];
  const variable = environmentName(name);
  if (environment[variable] !== undefined && environment[variable] !== "") {
    return [environment[variable], `${variable}${shown(environment[variable])}`];
  }
  return [file[name], `${path}: ${name}${shown(file[name])}`];
}

const SECRET: ReadonlySet<SettingName> = new Set(["rpcUrl", "fronts"]);

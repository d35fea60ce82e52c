/**
 * The settings (docs/reference.md#settings): each is a key of `noonmark.json`, a flag and an environment variable.
 * Each is a row of SETTINGS; a list of each command says which are its flags.
 */
import { isIPv4, isIPv6 } from "node:net";
import type { Command } from "commander";
import * as z from "zod";
import { storeLocation } from "../../../src/object-store/location.ts";
import { S3_PROVIDERS } from "../../../src/object-store/s3/providers.ts";
import { isNameableInstallationId } from "../../../src/values/installation-id.ts";
import { ROUND_SECONDS } from "../../../src/values/round.ts";
import { namesOf } from "../../../src/values/unknown.ts";

export interface Setting<T> extends SettingTraits {
  readonly schema: z.ZodType<T>;
  /** How help texts write a value, such as `url` or `seconds`. In brackets: the flag may have none. */
  readonly form: string;
  readonly help: string;
}

interface SettingTraits {
  /** True if messages and listings must not show its value. */
  readonly isSecret?: boolean;
  /** True if the value is a path. A relative path in the file is relative to the file. */
  isPath?(value: string): boolean;
}

function setting<T>(schema: z.ZodType<T>, form: string, help: string, traits: SettingTraits = {}): Setting<T> {
  return { schema, form, help, ...traits };
}

const isAlwaysPath = () => true;

const NO_TEXT = "is not text";
const text = z.string(NO_TEXT);
const filledText = text.min(1, "is empty");
const NO_WEB_ADDRESS = "is not an address that begins with http:// or https://";

function oneOf<const Name extends string>(names: readonly Name[]) {
  return z.enum(names, `is none of ${names.join(", ")}`);
}

/** Accepts a number or its text. Other values are not converted. */
function numeric<T extends z.ZodType<number>>(schema: T) {
  return z.preprocess((value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value), schema);
}

const number = z.number("is not a number");
const secondsNumber = z.number("is not a number of seconds");
const seconds = numeric(
  secondsNumber.positive("must be above 0 seconds").max(86_400, "is more than a day; the unit is seconds"),
);
/** The last second that a timestamp can have. */
const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;
const flag = z.union([z.boolean(), z.stringbool({ truthy: ["true", "1"], falsy: ["false", "0"] })], {
  error: "is neither true nor false",
});
const METRICS_ADDRESS = /^(?:none|(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5})$/;
const PROVIDER_NAMES = namesOf(S3_PROVIDERS);

/** True for a host. Text of only digits and dots must be an IP address: 127.0.0.256 is never looked up. */
function isHost(text: string): boolean {
  if (/^[\d.]+$/.test(text)) return isIPv4(text);
  return text.includes(":") ? isIPv6(text) : /^[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63}){0,15}\.?$/.test(text);
}

/** True for an address with a user, a password, a query or a fragment, each of which may be a key. */
export function mayHoldSecret(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && [url.username, url.password, url.search, url.hash].some((part) => part !== "");
}

function isHttpAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

export const SETTINGS = {
  installationId: setting(
    text.refine(isNameableInstallationId, "1 to 128 characters of A-Z a-z 0-9 . _ : -").optional(),
    "id",
    "the installation that routes without an id serve",
  ),
  ledger: setting(filledText.default(".noonmark/ledger.db"), "path|none", "the ledger of accepted facts", {
    isPath: (value) => value !== "none",
  }),
  store: setting(
    filledText
      .refine((text) => storeLocation(text) !== undefined, "is neither a directory nor s3://bucket/prefix")
      .default(".noonmark/public"),
    "directory|s3://…",
    "where responses are published",
    {
      isPath: (value) => storeLocation(value)?.kind === "directory",
    },
  ),
  s3Provider: setting(
    oneOf(PROVIDER_NAMES).optional(),
    PROVIDER_NAMES.join("|"),
    "the S3 provider, which sets path style and region",
  ),
  s3Endpoint: setting(
    z
      .url({ protocol: /^https?$/, error: NO_WEB_ADDRESS })
      .refine(
        (text) => !mayHoldSecret(text),
        "may have no user, password, query or fragment: keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
      )
      .optional(),
    "url",
    "the S3 server's address; by default AWS",
  ),
  s3Region: setting(filledText.optional(), "region", "the region of an S3 store"),
  singleWriter: setting(
    flag.default(false),
    "[true|false]",
    "nobody else publishes there: accept an S3 store that ignores conditions on puts",
  ),
  state: setting(filledText.default(".noonmark/state"), "directory", "the publisher's own files", {
    isPath: isAlwaysPath,
  }),
  deployment: setting(filledText.optional(), "file", "deployment.json of the settlement chain", {
    isPath: isAlwaysPath,
  }),
  rpcUrl: setting(
    text
      .refine(
        (text) => text.split(",").every((one) => isHttpAddress(one.trim())),
        "an address in it is not an http(s) URL",
      )
      .optional(),
    "url[,url]",
    "the chain's JSON-RPC, in order of preference",
    // An address may contain a key.
    { isSecret: true },
  ),
  rpcQuorum: setting(
    numeric(number.int("must be a whole number").min(1, "must be 1 to 16").max(16, "must be 1 to 16")).default(1),
    "number",
    "how many nodes of rpcUrl must agree before anything is stored",
  ),
  logKey: setting(
    filledText.optional(),
    "file",
    "the private key that signs the log and makes it public: noonmark key generate NAME --out FILE",
    { isPath: isAlwaysPath },
  ),
  host: setting(
    text
      .transform((text) => text.replace(/^\[(.*)\]$/, "$1"))
      .refine(isHost, "is neither an IPv4 or IPv6 address nor a host name")
      .default("127.0.0.1"),
    "address",
    "where `serve` listens",
  ),
  port: setting(
    numeric(number.int("must be a whole number").min(0, "must be 0 to 65535").max(65535, "must be 0 to 65535")).default(
      8787,
    ),
    "number",
    "the port of `serve`, 0 for any free one",
  ),
  sharedCacheControl: setting(
    flag.default(false),
    "[true|false]",
    "true if `serve` is behind a cache that obeys only Cache-Control, such as nginx or CloudFront",
  ),
  genesisTimestamp: setting(
    numeric(
      secondsNumber
        .int("must be a whole number of seconds")
        .nonnegative("must be 0 seconds or more")
        .max(LAST_SECOND, "is after the year 9999; the unit is seconds")
        .multipleOf(ROUND_SECONDS, `must be a multiple of ${ROUND_SECONDS} seconds`),
    ).optional(),
    "seconds",
    `the start of round 0, a multiple of ${ROUND_SECONDS}`,
  ),
  installations: setting(
    oneOf(["listed", "any"]).default("listed"),
    "listed|any",
    "which installations `ingest` takes facts of: `installationId` and those in the ledger, or any (for fleets)",
  ),
  chainMaxAge: setting(
    seconds.default(600),
    "seconds",
    "how long the chain's views are served after the last good pass if the publisher is dead",
  ),
  chainInterval: setting(seconds.default(4), "seconds", "time between two passes over the chain"),
  site: setting(flag.default(true), "[true|false]", "publish page and reference next to the API"),
  metrics: setting(
    text
      .regex(METRICS_ADDRESS, "is neither none nor host:port, as in 127.0.0.1:9464")
      .refine(
        (text) => text === "none" || Number(text.slice(text.lastIndexOf(":") + 1)) <= 65_535,
        "the port must be 0 to 65535",
      )
      .default("none"),
    "host:port",
    "the address of the metrics page for Prometheus (such as 127.0.0.1:9464), or none; each process needs its own",
  ),
  natsCreds: setting(
    filledText.optional(),
    "file",
    "credentials of `ingest --follow nats://…`: a .creds file, or the seed of a user's NKey",
    { isPath: isAlwaysPath },
  ),
  cadence: setting(filledText.default("* * * * * *"), "cron", "when `publish` runs a cycle (UTC)"),
  deadline: setting(seconds.default(120), "seconds", "time limit for one run of `publish --once` or `render`"),
  logLevel: setting(
    oneOf(["fatal", "error", "warn", "info", "debug", "trace"]).default("info"),
    "level",
    "the log's lowest level",
  ),
  logFormat: setting(
    oneOf(["auto", "pretty", "json"]).default("auto"),
    "auto|pretty|json",
    "the log's form: lines for people, or JSON; auto is for people on a terminal",
  ),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;
export type Settings = { [Name in SettingName]: z.output<(typeof SETTINGS)[Name]["schema"]> };

/** Settings whose default is a place beside `noonmark.json`. A command that needs one asks for it or for that file. */
export type PlacedSetting = "ledger" | "store";

/** Returns the unit of a number for messages and listings. */
export function unitOf(name: SettingName): string | undefined {
  return SETTINGS[name].form === "seconds" ? "seconds" : undefined;
}

export const SETTING_NAMES = namesOf(SETTINGS);

const PREFIX = "NOONMARK_";

/** Names the configuration file, as --config does. */
export const CONFIG_VARIABLE = `${PREFIX}CONFIG`;

/** Converts `installationId` to `NOONMARK_INSTALLATION_ID`. */
export function environmentName(name: string): string {
  return `${PREFIX}${flagName(name).replaceAll("-", "_").toUpperCase()}`;
}

/** Converts `installationId` to `installation-id`. */
export function flagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Variables that Kubernetes sets in a namespace's containers for a service noonmark or noonmark-something. */
const SERVICE_VARIABLE =
  /_SERVICE_(?:HOST|PORT)$|_SERVICE_PORT_\w|_PORT_\d{1,5}_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;

export function isKubernetesVariable(variable: string, value: string): boolean {
  return SERVICE_VARIABLE.test(variable) || /^(?:tcp|udp|sctp):\/\//.test(value);
}

/** Returns unknown variables with Noonmark's prefix. Kubernetes' variables do not count. */
export function unknownVariables(environment = process.env): string[] {
  const known = ["CONFIG", ...SETTING_NAMES].map(environmentName);
  return Object.keys(environment).filter(
    (name) => name.startsWith(PREFIX) && !known.includes(name) && !isKubernetesVariable(name, environment[name] ?? ""),
  );
}

export const DEFAULT_CONFIGURATION = "noonmark.json";

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

/** `noonmark cdn TARGET`: writes a front's configuration from the table of routes. */
import { isAbsolute, join, resolve } from "node:path";
import { Argument, type Command } from "commander";
import { type CdnOptions, DEFAULT_OPTIONS, originOf } from "../../../cdn-config/generate/options.ts";
import { CDN_TARGETS, type CdnTarget } from "../../../cdn-config/generate/targets.ts";
import { makeDirectory } from "../../../src/files/make-directory.ts";
import { replaceFile } from "../../../src/files/write-all.ts";
import { Failure } from "../../../src/values/failure.ts";
import { withoutLast } from "../../../src/values/text.ts";
import { errorMessage } from "../../../src/values/unknown.ts";
import { webUrl } from "../../cli/arguments.ts";
import { SECRET_FILE_OPTION, secretOfFlags } from "../../cli/front-secret.ts";
import { print } from "../../cli/messages.ts";
import { environmentName } from "../../cli/settings/setting-names.ts";
import { frontSecret } from "../../cli/settings/settings.ts";

const VARIABLE = environmentName("fronts");
interface CdnFlags {
  readonly out?: string;
  readonly bucket: string;
  readonly shim: string;
  readonly listen: string;
  readonly socket: string;
  readonly cache: string;
  readonly trusted: string;
  readonly frontSecret?: string;
  readonly frontSecretFile?: string;
  readonly brotli?: boolean;
}

export function registerCdn(program: Command): void {
  const { bucket, shim } = DEFAULT_OPTIONS;
  program
    .command("cdn")
    .addArgument(new Argument("<target>", "the cache or CDN").choices(Object.keys(CDN_TARGETS)))
    .option("--out <directory>", "where to write (default: cdn-config/<target>)")
    .option(
      "--bucket <url>",
      "the address of the published prefix",
      `http://${bucket.host}:${bucket.port}${bucket.path}`,
    )
    .option("--shim <url>", "the address of the shim", `http://${shim.host}:${shim.port}`)
    .option("--listen <address:port>", "where nginx listens", DEFAULT_OPTIONS.listen)
    .option("--socket <path>", "the socket between nginx's script and its cache", DEFAULT_OPTIONS.socket)
    .option("--cache <directory>", "where nginx keeps responses", DEFAULT_OPTIONS.cache)
    .option("--trusted <file>", "certificates that nginx trusts for https origins", DEFAULT_OPTIONS.trusted)
    .option("--brotli", "prefer brotli to gzip; nginx must have its brotli filter")
    .option("--front-secret <secret>", `the shim's setting fronts, if that is a secret; prefer ${VARIABLE}`)
    .option(...SECRET_FILE_OPTION)
    .action(async (target: CdnTarget, flags: CdnFlags) => {
      const { files, check, secretMode = 0o666 } = CDN_TARGETS[target];
      const out = flags.out ?? join("cdn-config", target);
      const options = optionsOf(flags, out);
      check?.(options, out);
      const mode = options.frontSecret === undefined ? 0o666 : secretMode;
      for (const [name, text] of Object.entries(files(options))) await print(written(out, name, text, mode));
    });
}

function optionsOf(flags: CdnFlags, out: string): CdnOptions {
  const frontSecret = secretOf(flags);
  const { listen, socket, cache, trusted, brotli } = flags;
  const bucket = parseUrl("bucket", flags.bucket);
  return {
    bucket: { ...originOf(bucket), path: `${withoutLast(bucket.pathname, "/")}/` },
    shim: originOf(parseUrl("shim", flags.shim)),
    listen,
    socket,
    cache,
    trusted,
    // nginx resolves a relative name next to nginx.conf, even if another file contains it.
    directory: isAbsolute(out) ? resolve(out) : undefined,
    frontSecret,
    brotli,
  };
}

/** Returns the secret; flags override the variable. CloudFront's is a stack parameter and in no file. */
function secretOf({ frontSecret: given, frontSecretFile }: CdnFlags): string | undefined {
  const flags = { given, flag: "--front-secret", ...(frontSecretFile && { frontSecretFile }) } as const;
  const variable = process.env[VARIABLE];
  const secret =
    secretOfFlags(flags) ?? (variable === "" || variable === "none" || variable === "any" ? undefined : variable);
  if (secret === undefined || frontSecret.safeParse(secret).success) return secret;
  const origin = given === undefined ? VARIABLE : "--front-secret";
  throw new Failure("invalid_setting", `${origin} has characters that some fronts' files cannot hold`, {
    hint: "Give 16 to 128 characters of A-Z a-z 0-9 . _ ~ + / = -, the same that the shim has as its setting fronts.",
  });
}

function parseUrl(option: string, text: string): URL {
  const url = webUrl(text);
  if (url !== undefined) return url;
  throw new Failure("invalid_setting", `--${option} "${text}" is not an http or https URL`, {
    hint: `Give one as in --${option} http://HOST:8080/`,
  });
}

/** Writes a file, and returns its path. */
function written(directory: string, name: string, text: string, mode: number): string {
  const path = join(directory, name);
  try {
    makeDirectory(directory);
    replaceFile(path, Buffer.from(text), mode);
  } catch (cause) {
    throw new Failure("file_unwritable", `${path} cannot be written: ${errorMessage(cause)}`, { cause });
  }
  return path;
}

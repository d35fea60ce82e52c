/** `noonmark init`: writes an initial noonmark.json with comments. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { PRIVATE_MODE } from "../../../src/files/private-file.ts";
import { replaceFile } from "../../../src/files/write-all.ts";
import { verifierKey } from "../../../src/log/note.ts";
import { Failure } from "../../../src/values/failure.ts";
import { errorMessage, systemCode } from "../../../src/values/unknown.ts";
import { writeLogKey } from "../../cli/log-key.ts";
import { print } from "../../cli/messages.ts";
import { environmentName, SETTING_NAMES, SETTINGS } from "../../cli/settings/settings.ts";

export function registerInit(program: Command): void {
  program
    .command("init")
    .option("--config <file>", "where to write it", "noonmark.json")
    .option("--force", "overwrite an existing file")
    .option("--installation-id <id>", "the installation to publish")
    .option("--log-name <name>", `make the key of a public log with this host name, in ${KEY_FILE} beside the file`)
    .action(async ({ config, force, installationId, logName }: InitOptions) => {
      const id = known(installationId ?? "");
      const name = (logName ?? "").trim();
      write(config, force === true, { installationId: id, logKey: name === "" ? undefined : KEY_FILE });
      const first = id === undefined ? "Set installationId in it, then: " : "Then: ";
      const written = `${config} written. ${first}noonmark ingest FILE && noonmark publish --once`;
      if (name === "") {
        await print(written);
        return;
      }
      const key = join(dirname(config), KEY_FILE);
      const { verifier } = await writeLogKey(key, name);
      const what = `${key} written: keep a copy of it. Every accepted fact becomes public for ever, in a log that this key signs. Readers check it with:`;
      await print([`${written} --publish-log`, what, `  ${verifierKey(verifier)}`]);
    });
}

interface InitOptions {
  readonly config: string;
  readonly force?: boolean;
  readonly installationId?: string;
  readonly logName?: string;
}

const KEY_FILE = "log.key";
/** Returns undefined for an empty text. Throws `invalid_setting`, exit 2. */
function known(answer: string): string | undefined {
  const id = answer.trim();
  if (id === "") return undefined;
  const { error } = SETTINGS.installationId.schema.safeParse(id);
  if (error === undefined) return id;
  throw new Failure("invalid_setting", `installationId ${JSON.stringify(id)}: ${error.issues[0]?.message}`, {
    hint: "Give 1 to 128 characters of A-Z a-z 0-9 . _ : -, such as wheel-1.",
  });
}

/** The settings that are not comments. */
type Chosen = { readonly [Name in "installationId" | "logKey"]?: string | undefined };

function write(path: string, force: boolean, chosen: Chosen): void {
  try {
    const text = commentedConfiguration(chosen);
    if (force) replaceFile(path, Buffer.from(text), PRIVATE_MODE);
    else writeFileSync(path, text, { flag: "wx", mode: PRIVATE_MODE });
  } catch (cause) {
    const exists = systemCode(cause) === "EEXIST";
    if (exists) {
      throw new Failure("file_unwritable", `${path} already exists`, {
        hint: "Keep it, or overwrite it with --force.",
        cause,
      });
    }
    throw new Failure("file_unwritable", `${path} cannot be written: ${errorMessage(cause)}`, { cause });
  }
}

/** Returns every setting with its meaning, variable and default. Only the chosen ones are set. */
export function commentedConfiguration(chosen: Chosen = {}): string {
  const lines = SETTING_NAMES.flatMap((name) => {
    const { help, form, schema } = SETTINGS[name];
    const fallback: unknown = schema.safeParse(undefined).data;
    const example = fallback === undefined ? `<${form}>` : fallback;
    const value = name === "installationId" || name === "logKey" ? chosen[name] : undefined;
    const isSet = value !== undefined;
    const entry = `"${name}": ${JSON.stringify(value ?? example)},`;
    const comment = `  // ${help} (${environmentName(name)})${fallback === undefined ? "" : "; this is the default"}`;
    return [comment, isSet ? `  ${entry}` : `  // ${entry}`, ""];
  });
  return [
    "// Noonmark's configuration. A flag wins over an environment variable, and a variable over this file. Paths are relative to this file.",
    "{",
    ...lines.slice(0, -1),
    "}",
    "",
  ].join("\n");
}

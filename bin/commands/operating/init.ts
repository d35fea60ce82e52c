/** `noonmark init`: writes an initial noonmark.json with comments. */
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { PRIVATE_MODE } from "../../../src/files/private-file.ts";
import { replaceFile } from "../../../src/files/write-all.ts";
import { Failure } from "../../../src/values/failure.ts";
import { environmentName } from "../../cli/settings/setting-names.ts";
import { SETTING_NAMES, SETTINGS } from "../../cli/settings/settings.ts";

export function registerInit(program: Command): void {
  program
    .command("init")
    .description("write a commented noonmark.json to begin with")
    .option("--config <file>", "where to write it", "noonmark.json")
    .option("--force", "overwrite an existing file")
    .option(
      "--installation-id <id>",
      "the installation to publish; on a terminal init asks for it, else it stays empty",
    )
    .action(async ({ config, force, installationId }: InitOptions) => {
      const id = known(installationId ?? (await askedFor()));
      write(config, force === true, id);
      const first = id === undefined ? "Set installationId in it, then: " : "Then: ";
      console.log(`${config} written. ${first}noonmark ingest FILE && noonmark publish --once`);
    });
}

interface InitOptions {
  readonly config: string;
  readonly force?: boolean;
  readonly installationId?: string;
}

/** Asks only on a terminal, because scripts cannot respond. */
async function askedFor(): Promise<string> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return "";
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question("Which installation is published? (its id; empty: set it later) ");
  } finally {
    terminal.close();
  }
}

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

function write(path: string, force: boolean, installationId: string | undefined): void {
  try {
    const text = commentedConfiguration(installationId);
    if (force) replaceFile(path, Buffer.from(text), PRIVATE_MODE);
    else writeFileSync(path, text, { flag: "wx", mode: PRIVATE_MODE });
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === "EEXIST";
    if (exists) {
      throw new Failure("configuration_exists", `${path} already exists`, { cause });
    }
    throw new Failure("configuration_unwritable", `${path} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

/** Returns every setting with its meaning, variable and default; only installationId is set, if known. */
export function commentedConfiguration(installationId?: string): string {
  const lines = SETTING_NAMES.flatMap((name) => {
    const { help, value, schema } = SETTINGS[name];
    const fallback: unknown = schema.safeParse(undefined).data;
    const example = fallback === undefined ? `<${value}>` : fallback;
    const isSet = name === "installationId" && installationId !== undefined;
    const entry = `"${name}": ${JSON.stringify(isSet ? installationId : example)},`;
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

/** `noonmark init`: writes a commented noonmark.json to begin with. */
import { writeFileSync } from "node:fs";
import type { Command } from "commander";
import { PRIVATE_MODE } from "../../../src/files/private-file.ts";
import { replaceFile } from "../../../src/files/write-all.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import { environmentName } from "../../cli/settings/setting-names.ts";
import { SETTINGS, type SettingName } from "../../cli/settings/settings.ts";

export function registerInit(program: Command): void {
  program
    .command("init")
    .description("write a commented noonmark.json to begin with")
    .option("--config <file>", "where to write it", "noonmark.json")
    .option("--force", "write over a file that is there")
    .action(({ config, force }: { config: string; force?: boolean }) => {
      write(config, force === true);
      console.log(`${config} written. Set installationId, then: noonmark ingest FILE && noonmark publish --once`);
    });
}

function write(path: string, force: boolean): void {
  try {
    const text = commentedConfiguration();
    if (force) replaceFile(path, Buffer.from(text), PRIVATE_MODE);
    else writeFileSync(path, text, { flag: "wx", mode: PRIVATE_MODE });
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === "EEXIST";
    throw new Failure(
      exists ? "configuration_exists" : "configuration_unwritable",
      `${path} ${exists ? "is there already" : `cannot be written: ${(cause as Error).message}`}`,
      { exit: exists ? EXIT.failed : EXIT.io, ...(exists ? { hint: "--force writes over it." } : {}), cause },
    );
  }
}

/** Every setting with its meaning, its variable and its default; only installationId is set. */
export function commentedConfiguration(): string {
  const lines = (Object.keys(SETTINGS) as SettingName[]).flatMap((name) => {
    const { help, value, schema } = SETTINGS[name];
    const fallback: unknown = schema.safeParse(undefined).data;
    const example = fallback === undefined ? `<${value}>` : fallback;
    const entry = `"${name}": ${JSON.stringify(name === "installationId" ? "wheel-1" : example)},`;
    const comment = `  // ${help} (${environmentName(name)})${fallback === undefined ? "" : "; this is the default"}`;
    return [comment, name === "installationId" ? `  ${entry}` : `  // ${entry}`, ""];
  });
  return [
    "// Noonmark's configuration. A flag goes before an environment variable before this file. Paths are relative to this file.",
    "{",
    ...lines.slice(0, -1),
    "}",
    "",
  ].join("\n");
}

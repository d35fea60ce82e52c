import { readdirSync, readFileSync } from "node:fs";
import { parseScript, type ScriptBlock } from "./http-script.ts";

const DIRECTORY = new URL("../../scripts/", import.meta.url);

/** Every HTTP script of test/scripts. */
export function allScripts(): { readonly name: string; readonly blocks: readonly ScriptBlock[] }[] {
  return readdirSync(DIRECTORY)
    .filter((name) => name.endsWith(".http-script"))
    .map((name) => ({ name, blocks: parseScript(name, readFileSync(new URL(name, DIRECTORY), "utf8")) }));
}

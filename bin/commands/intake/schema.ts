/** `noonmark schema NAME`: the JSON Schemas of the input (docs/spec/people.md#schema). */
import type { Command } from "commander";
import { knownName } from "../../cli/arguments.ts";
import { SCHEMAS } from "../../cli/schema.ts";

export function registerSchema(program: Command): void {
  program
    .command("schema")
    .description("print a JSON Schema (draft 2020-12) of the input")
    .argument("<name>", `one of ${Object.keys(SCHEMAS).join(", ")}`)
    .action((name: string) => {
      const known = knownName(name, Object.keys(SCHEMAS));
      console.log(JSON.stringify(SCHEMAS[known]?.(), null, 2));
    });
}

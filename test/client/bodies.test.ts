/**
 * The types in src/client/bodies are made from the schemas: a schema that has changed is red here until
 * `npx vitest run --project unit test/client/bodies.test.ts -u` has written them anew.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BODIES } from "./support/body-schemas.ts";
import { jsonSchemaOf, typeText, valueTypesIn } from "./support/type-text.ts";

const ROOT = join(import.meta.dirname, "../..");

test.each(Object.entries(BODIES))("bodies/%s.ts is what its schema says", async (file, { type, schema }) => {
  const text = typeText(jsonSchemaOf(schema));
  const imports = valueTypesIn(text);
  const source = [
    "/** Made from the schema by test/client/bodies.test.ts: not by hand. */",
    imports.length === 0 ? "" : `import type { ${imports.join(", ")} } from "./values.ts";\n`,
    `export type ${type} = ${text};`,
  ].join("\n");
  await expect(formatted(source)).toMatchFileSnapshot(join(ROOT, "src/client/bodies", `${file}.ts`));
});

function formatted(source: string): string {
  const biome = join(ROOT, "node_modules/@biomejs/biome/bin/biome");
  return execFileSync(process.execPath, [biome, "format", "--stdin-file-path=src/client/bodies/body.ts"], {
    cwd: ROOT,
    input: source,
    encoding: "utf8",
  });
}

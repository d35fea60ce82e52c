/**
 * All tracked files that are derived from other files, by path. `npm run generate` writes them and
 * test/generated.test.ts compares them. worker.js and dist/ are not tracked; `npm run build` writes those.
 */
import { packageVersion } from "../src/files/package-file.ts";

type Files = Readonly<Record<string, string>>;

/** Later stages read files that earlier stages write, so each stage imports its sources only when it runs. */
export const STAGES: readonly (() => Promise<Files>)[] = [clientFiles, documents];

async function clientFiles(): Promise<Files> {
  return (await import("./client.ts")).clientFiles();
}

async function documents(): Promise<Files> {
  const { documentText, openApiDocument } = await import("../src/openapi/document.ts");
  const { intakeReference } = await import("./intake-reference.ts");
  const { intakeSchema } = await import("../src/ledger/intake/record-schema.ts");
  return {
    "docs/reference.md": await (await import("./reference.ts")).referencePage(),
    "README.md": (await import("./readme.ts")).readmeWithRoutes(),
    "docs/openapi.json": documentText(openApiDocument({ version: packageVersion() })),
    "docs/facts.md": intakeReference(),
    "docs/records.schema.json": `${JSON.stringify(intakeSchema(), null, 2)}\n`,
  };
}

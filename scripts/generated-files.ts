/**
 * All tracked files that are derived from other files, by path. `npm run generate` writes them and
 * test/generated.test.ts compares them. The worker.js files and dist/ are not tracked; `npm run build` writes those.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";

type Files = Readonly<Record<string, string>>;

/** Later stages read files that earlier stages write, so each stage imports its sources only when it runs. */
export const STAGES: readonly (() => Promise<Files>)[] = [clientFiles, tables, examples, documents];

async function clientFiles(): Promise<Files> {
  return (await import("./client.ts")).clientFiles();
}

async function tables(): Promise<Files> {
  const { cloudfrontTables } = await import("../cdn-config/generate/cloudfront/table.ts");
  const { nginxTable } = await import("../cdn-config/generate/nginx/table.ts");
  const cloudfront = Object.entries(cloudfrontTables()).map(([name, text]) => [
    `cdn-config/generate/cloudfront/generated/${name}`,
    text,
  ]);
  return { ...Object.fromEntries(cloudfront), "cdn-config/generate/nginx/generated/table.js": nginxTable() };
}

async function examples(): Promise<Files> {
  return (await import("./examples.ts")).exampleFiles();
}

async function documents(): Promise<Files> {
  const { documentText, openApiDocument } = await import("../src/openapi/document.ts");
  const { intakeReference } = await import("./intake-reference.ts");
  const { intakeSchema } = await import("../src/ledger/intake/record-schema.ts");
  const { version, man } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8")) as {
    readonly version: string;
    readonly man: readonly [string];
  };
  return {
    ...(await fronts()),
    ...(await (await import("./reference.ts")).referencePages()),
    ...(await import("./page-tables.ts")).pagesWithTables(),
    "docs/openapi.json": documentText(openApiDocument({ version })),
    "docs/facts.md": intakeReference(),
    "docs/records.schema.json": `${JSON.stringify(intakeSchema(), null, 2)}\n`,
    [man[0]]: await manual(version),
  };
}

/** `cdn-config/TARGET/` holds the output of `noonmark cdn TARGET` without options. */
async function fronts(): Promise<Files> {
  const { DEFAULT_OPTIONS } = await import("../cdn-config/generate/options.ts");
  const { CDN_TARGETS } = await import("../cdn-config/generate/targets.ts");
  const files = Object.entries(CDN_TARGETS).flatMap(([target, { files: filesOf }]) =>
    Object.entries(filesOf(DEFAULT_OPTIONS)).map(([name, text]) => [`cdn-config/${target}/${name}`, text] as const),
  );
  return Object.fromEntries(files.filter(([path]) => !path.endsWith("/worker.js")));
}

async function manual(version: string): Promise<string> {
  const { Command } = await import("commander");
  const { manualPage } = await import("./manual-page.ts");
  const { addAllCommands } = await import("../bin/commands/all.ts");
  const program = new Command("noonmark").description(
    "publishes accepted measurements and safe chain state as a read-only JSON API in static files",
  );
  return manualPage(await addAllCommands(program), version);
}

/**
 * All tracked files that are derived from other files, by path. `npm run generate` writes them and
 * test/generated.test.ts compares them. The worker.js files and dist/ are not tracked; `npm run build` writes those.
 */
import { packageVersion } from "../src/files/package-file.ts";

type Files = Readonly<Record<string, string>>;

/** Later stages read files that earlier stages write, so each stage imports its sources only when it runs. */
export const STAGES: readonly (() => Promise<Files>)[] = [clientFiles, tables, documents];

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

async function documents(): Promise<Files> {
  const { documentText, openApiDocument } = await import("../src/openapi/document.ts");
  const { intakeReference } = await import("./intake-reference.ts");
  const { intakeSchema } = await import("../src/ledger/intake/record-schema.ts");
  return {
    ...(await fronts()),
    "docs/reference.md": await (await import("./reference.ts")).referencePage(),
    ...(await import("./page-tables.ts")).pagesWithTables(),
    "docs/openapi.json": documentText(openApiDocument({ version: packageVersion() })),
    "docs/facts.md": intakeReference(),
    "docs/records.schema.json": `${JSON.stringify(intakeSchema(), null, 2)}\n`,
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

/**
 * A new operator's first days with a real bucket and only the package: from the first doctor run through a front to an
 * upgrade. fsck checks the result.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RECORD_TYPES } from "../../../src/ledger/intake/record-types.ts";
import { fenced } from "../../docs/markdown.ts";
import { packInto } from "../../package/packed-files.ts";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/processes.ts";
import { type Installed, installPackage, type Staying, shell, staying } from "../package/installed-package.ts";
import { type S3Server, startRadosgw } from "../radosgw.ts";
import { allowReading } from "../scenes/published-world.ts";
import { BUCKET, makeBucket } from "../stores/s3-store.ts";

const SECRET = "0123456789abcdef-secret";
const CDN_PAGE = readFileSync(join(import.meta.dirname, "../../../docs/cdn.md"), "utf8");
const INTAKE = readFileSync(join(import.meta.dirname, "../../../docs/facts.md"), "utf8");

/** Without a closed round there are no statistics, which `doctor` reports. */
const CLOSED_ROUND = [RECORD_TYPES.round, RECORD_TYPES.closure]
  .map(({ example }) => `${JSON.stringify(example)}\n`)
  .join("");

let root: string;
let server: S3Server;
let here: Installed;
let front: string;
const servers: Staying[] = [];

const run = (line: string) => shell(here, line);
const stays = (line: string) => {
  const one = staying(here, line);
  servers.push(one);
  return one;
};

/** A receipt like the page's first example, numbered, for this operator and received now. */
function receipt(number: number): string {
  const [example = ""] = fenced(INTAKE, "json");
  const now = new Date().toISOString();
  const own = { telemetryId: `018f6f2e-9c50-7a1b-8c2d-${String(number).padStart(12, "0")}`, sequence: number };
  const counted = { cumulativeWorkUnits: String(number * 1_000), distanceMm: number * 10_000 };
  return `${JSON.stringify({ ...JSON.parse(example), ...own, ...counted, observedAt: now, receivedAt: now })}\n`;
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "noonmark-operator-"));
  server = await startRadosgw();
  await makeBucket(server);
  await allowReading(server);
  const environment = {
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(?:NOONMARK_|npm_config_(?:local_)?prefix$)/i.test(name)),
    ),
    npm_config_loglevel: "error",
    PATH: `${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`,
    AWS_ACCESS_KEY_ID: server.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
    NOONMARK_PORT: String(await freePort()),
  };
  here = await installPackage(join(root, "machine"), packInto(root), environment);
});
afterAll(async () => {
  await Promise.all(servers.map((one) => one.end()));
  await server?.stop();
  rmSync(root, { recursive: true, force: true });
});

test("doctor lists missing parts until they exist", async () => {
  expect(await run("npx noonmark init --installation-id wheel-1")).toMatchObject({ code: 0 });
  const first = await run("npx noonmark doctor");
  expect([first.code, first.output.match(/^FIX \w+/gm)]).toEqual([
    1,
    expect.arrayContaining(["FIX genesis", "FIX ledger"]),
  ]);
  const settings = {
    installationId: "wheel-1",
    genesisTimestamp: 1_767_225_600,
    store: `s3://${BUCKET}/public`,
    s3Provider: "ceph",
    s3Endpoint: server.endpoint,
    ledger: join(here.folder, "ledger.db"),
  };
  writeFileSync(join(here.folder, "noonmark.json"), JSON.stringify(settings));
  writeFileSync(join(here.folder, "facts.ndjson"), receipt(1) + receipt(2) + CLOSED_ROUND);
  expect(await run("npx noonmark ingest facts.ndjson")).toEqual({
    code: 0,
    output: expect.stringMatching(/^4 accepted, 0 duplicate, 0 rejected; ledger /),
  });
  const second = await run("npx noonmark doctor");
  expect([second.code, second.output.match(/^FIX.*/gm)]).toEqual([0, null]);
});

test("verify finds nothing in a published bucket behind Varnish", async () => {
  const publisher = stays("npx noonmark publish");
  await until("it publishes", async () => publisher.output().includes("publishing"));
  const shim = stays(`NOONMARK_FRONTS=${SECRET} npx noonmark serve`);
  await until("the shim responds", async () => shim.output().includes("Serving "));
  const origins = `--bucket ${server.endpoint}/${BUCKET}/public/ --shim http://127.0.0.1:${here.environment.NOONMARK_PORT}`;
  expect(await run(`NOONMARK_FRONTS=${SECRET} npx noonmark cdn varnish ${origins} --out varnish`)).toMatchObject({
    code: 0,
  });
  const port = await freePort();
  front = `http://127.0.0.1:${port}`;
  // As in docs/cdn-varnish.md, but with another port and folder.
  const where = `-F -j none -T none -n ${join(root, "varnish")}`;
  stays(
    `varnishd ${where} -a 127.0.0.1:${port} -f ${join(here.folder, "varnish/default.vcl")} -s malloc,256m -p http_max_hdr=256`,
  );
  await until("Varnish responds", async () => {
    const { installationId } = (await (await fetch(`${front}/v1/public/telemetry`)).json()) as Record<string, unknown>;
    return installationId === "wheel-1";
  });
  expect(await run(`npx noonmark verify ${front} --qps 500`)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/ checks, 0 findings, /),
  });
  await seenFromOutside();
  expect(await run("npx noonmark fsck")).toMatchObject({ code: 0, output: expect.stringMatching(/, 0 findings\n$/) });
});

/** Runs the lines of docs/cdn.md under "Check it". Each returns the status in its comment. */
async function seenFromOutside(): Promise<void> {
  const lines =
    fenced(CDN_PAGE, "sh")
      .find((block) => block.startsWith("curl -i"))
      ?.trim()
      .split("\n") ?? [];
  const tag = (await fetch(`${front}/v4/public/process`)).headers.get("etag") ?? "";
  const seen: string[] = [];
  for (const line of lines) {
    const { output } = await shell(
      { ...here, environment: { ...here.environment, URL: front } },
      line.replace('"TAG"', tag),
    );
    seen.push(/^HTTP\/1\.1 (\d+)/m.exec(output)?.[1] ?? output);
  }
  // The last three print no status: a header that is absent, compressed statistics, and the shim's health.
  expect(seen.slice(0, 4)).toEqual(["200", "304", "200", "400"]);
  expect(seen.slice(4).map((text) => text.trim())).toEqual(["", "Content-Encoding: gzip", '{"error":"not_found"}']);
}

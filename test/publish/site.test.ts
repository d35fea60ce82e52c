/** The site's files, which are stored next to the responses. */
import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseCheckpoint } from "../../src/log/checkpoint.ts";
import { publicationStatusSchema } from "../../src/resources/publication-status/contract.ts";
import { ASSET_KEPT_MS } from "../../src/resources/site/publication.ts";
import { ROBOTS, type Site } from "../../src/resources/site/site-files.ts";
import { START, World } from "./world.ts";

const CSS = "text/css; charset=utf-8";
const OLD = "assets/style-0123456789ab.css";
const NEW = "assets/style-ba9876543210.css";

function site(program: string, asset = OLD): Site {
  const files = [
    ROBOTS,
    { path: asset, contentType: CSS, text: `/* ${asset} */` },
    { path: "favicon.svg", contentType: "image/svg+xml", text: "<svg/>" },
    ...["index.html", "docs.html"].map((path) => ({
      path,
      contentType: "text/html; charset=utf-8",
      text: `<!doctype html><link href="${asset}">`,
    })),
  ];
  return { program, files, deployment: null, chainMaxAge: 600_000 };
}

let world: World;
beforeEach(() => {
  world = new World();
  world.receive(3);
});
afterEach(() => world.end());

const sitePuts = () => world.store.puts.filter((key) => key.startsWith("site/"));

async function cycleOf(options: Parameters<World["work"]>[0], at: number): Promise<string[]> {
  const before = sitePuts().length;
  const worker = await world.work(options);
  await worker.cycle(at);
  await worker.stop();
  return sitePuts().slice(before);
}

test("each file is put once, with the pages last; later cycles and a restart send no request for them", async () => {
  const worker = await world.work({ site: site("1.0.0") });
  await worker.cycle(START);
  const puts = sitePuts();
  const files = ["deployment.json", "docs.html", "favicon.svg", "index.html", "robots.txt", OLD].map(
    (path) => `site/${path}`,
  );
  expect(puts.toSorted()).toEqual(files.toSorted());
  for (const page of ["site/docs.html", "site/index.html"]) {
    expect(puts.indexOf(`site/${OLD}`)).toBeLessThan(puts.indexOf(page));
  }
  world.receive(1);
  await worker.cycle(START + 10_000);
  expect(sitePuts()).toHaveLength(puts.length);
  await worker.stop();
  const gets = world.store.gets.length;
  expect(await cycleOf({ site: site("1.0.0") }, START + 20_000)).toEqual([]);
  const reads = world.store.gets.slice(gets).filter((key) => key.startsWith("site/"));
  expect(reads).toEqual([]);
});

test("an upgrade puts each changed file once, and an older program keeps the newer one's files", async () => {
  await cycleOf({ site: site("1.9.0") }, START);
  const upgraded = await cycleOf({ site: site("1.10.0", NEW) }, START + 1_000);
  expect([upgraded[0], upgraded.slice(1).toSorted()]).toEqual([`site/${NEW}`, ["site/docs.html", "site/index.html"]]);
  for (const state of ["state", "another"]) {
    await cycleOf({ site: site("1.9.0"), state }, START + 2_000);
    expect(await world.body("/")).toContain(NEW);
  }
  await cycleOf({ site: site("1.9.0"), force: true }, START + 3_000);
  expect(await world.body("/")).toContain(NEW);
});

test("an asset is kept for exactly thirty days after the last page that names it", async () => {
  await cycleOf({ site: site("1.0.0") }, START);
  await cycleOf({ site: site("1.1.0", NEW) }, START + 1_000);
  const worker = await world.work({ site: site("1.1.0", NEW) });
  await worker.cycle(START + 1_000 + ASSET_KEPT_MS - 1);
  expect(await world.read(`/${OLD}`)).toMatchObject({ status: 200, headers: { "content-type": CSS } });
  await worker.cycle(START + 1_000 + ASSET_KEPT_MS);
  expect(await world.read(`/${OLD}`)).toMatchObject({ status: 404 });
  expect(await world.read(`/${NEW}`)).toMatchObject({ status: 200 });
});

test("a disabled site is deleted and all its paths are 404, and it returns when it is enabled", async () => {
  const paths = ["/", `/${OLD}`, "/robots.txt", "/favicon.svg", "/status.json"];
  const statuses = async () => new Set(await Promise.all(paths.map(async (path) => (await world.read(path)).status)));
  await cycleOf({ site: site("1.0.0") }, START);
  expect(await statuses()).toEqual(new Set([200]));
  await cycleOf({}, START + 1_000);
  expect(await statuses()).toEqual(new Set([404]));
  expect(await world.read("/v1/public/telemetry")).toMatchObject({ status: 200 });
  await cycleOf({ site: site("1.0.0") }, START + 2_000);
  expect(await statuses()).toEqual(new Set([200]));
});

test("the status is live, then late, then stopped, and shows the sources as the last cycle read them", async () => {
  const worker = await world.work({ site: site("1.0.0") });
  await worker.cycle(START + 30_000);
  world.now += 15_000;
  await worker.publisher.renewIfDue();
  const at = async (ms: number) => publicationStatusSchema.parse(JSON.parse(await world.body("/status.json", ms)));
  const status = await at(world.now);
  expect(status).toMatchObject({
    installationId: "wheel-1",
    publisher: { state: "live", lastCycleAt: "2026-11-20T10:00:30.000Z", nextCycleAt: "2026-11-20T10:02:09.001Z" },
    sources: {
      ledger: { status: "followed", newestReceiptAt: "2026-11-20T10:00:09.000Z" },
      chain: { status: "disabled" },
    },
  });
  const telemetry = await world.read("/v1/public/telemetry");
  expect(status.responses["/v1/public/telemetry"]).toEqual({
    asOf: "2026-11-20T10:00:30.000Z",
    status: 200,
    nextChangeAt: "2026-11-20T10:02:09.001Z",
    etag: telemetry.headers.etag,
    logSize: 3,
    safeBlock: null,
    program: "1.0.0",
  });
  const deployment = await world.body("/deployment.json");
  expect(JSON.parse(deployment)).toEqual({
    schemaVersion: 1,
    installationId: "wheel-1",
    genesisTimestamp: null,
    deployment: null,
    chainMaxAge: 600_000,
  });
  expect(status.deploymentHash).toBe(createHash("sha256").update(deployment).digest("hex"));
  const checkpoint = parseCheckpoint(new TextDecoder().decode((await world.store.get("private/log/checkpoint"))?.body));
  expect(status.log).toEqual({ size: 3, root: checkpoint.root, origin: null, verifierKey: [] });
  expect(Object.keys(status.responses)).toContain("/v4/public/settlements?range=now&queue=1");
  expect(JSON.stringify(status)).not.toMatch(/test|holder|epoch/);
  expect((await at(world.now + 30_000)).publisher.state).toBe("late");
  expect((await at(world.now + 60_000)).publisher.state).toBe("stopped");
  await worker.stop();
  expect((await at(world.now)).publisher.state).toBe("stopped");
});

/** Readers of a directory get whole responses if its publisher is killed with SIGKILL at every step of a cycle. */
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { fsck } from "../../src/fsck/fsck.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { openStore } from "../../src/object-store/open-store.ts";
import { shimContext } from "../../src/shim/context.ts";
import { respond } from "../../src/shim/respond.ts";
import { sharedFolder } from "../support/test-folder.ts";
import { receive, START } from "./world.ts";

const FIRST = START + 400_000;
const SECOND = START + 500_000;
const NEVER = "100000";
const ROUTES = [
  "/v1/public/telemetry",
  "/v1/public/modules",
  "/v4/public/process",
  "/v1/public/installations/wheel-1/telemetry",
  "/v1/public/installations/wheel-1/observations?limit=100&cursor=NjA",
];

const PAGE = ROUTES.length - 1;

const root = sharedFolder();
const before = join(root, "before");
const after = join(root, "after");
const publisher = join(root, "publisher.mjs");

function publish(folder: string, calls: string, at: number): NodeJS.Signals | null {
  const { signal, status, stderr } = spawnSync(process.execPath, [publisher, folder, calls, String(at)], {
    encoding: "utf8",
    timeout: 30_000,
  });
  if (signal === null) expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return signal;
}

async function view(folder: string): Promise<string[]> {
  const store = await openStore(join(folder, "public"), { write: false });
  const context = shimContext({ store, now: () => SECOND, monotonic: () => 0 });
  const bodies = ROUTES.map(async (url) => {
    const { status, body } = await respond({ method: "GET", url }, context);
    return `${status} ${new TextDecoder().decode(body)}`;
  });
  return Promise.all(bodies);
}

async function findings(folder: string): Promise<unknown> {
  const store = await openStore(join(folder, "public"), { write: false });
  return (await fsck(store, { now: Date.now() })).findings;
}

/** Bundled into one file, because loading all source files takes 0.7 s. */
async function bundlePublisher(): Promise<void> {
  const sqlite = fileURLToPath(import.meta.resolve("better-sqlite3"));
  await build({
    entryPoints: [join(import.meta.dirname, "mortal-publisher.ts")],
    outfile: publisher,
    bundle: true,
    platform: "node",
    format: "esm",
    alias: { "better-sqlite3": sqlite },
    external: [sqlite],
    logLevel: "warning",
  });
}

beforeAll(async () => {
  await bundlePublisher();
  const ledger = openLedgerForIntake(join(before, "ledger.db"));
  receive(ledger, 127, { rowId: 1, id: "wheel-1" });
  publish(before, NEVER, FIRST);
  receive(ledger, 3, { rowId: 1, id: "wheel-1" });
  ledger.close();
  cpSync(before, after, { recursive: true });
  publish(after, NEVER, SECOND);
});

test("a publisher that is killed before any store request leaves whole responses", async () => {
  const [old, complete] = [await view(before), await view(after)];
  expect(old).not.toEqual(complete);
  let kills = 0;
  for (let calls = 0; ; calls++) {
    const folder = join(root, String(calls));
    cpSync(before, folder, { recursive: true });
    const signal = publish(folder, String(calls), SECOND);
    if (signal === null) break;
    kills++;
    for (const [index, body] of (await view(folder)).entries()) {
      // A page may also end after a full tile while the next one is not yet stored.
      if (index === PAGE) expect(isPrefix(body, complete[PAGE] ?? "")).toBe(true);
      else expect([old[index], complete[index]]).toContain(body);
    }
    expect(await findings(folder)).toEqual([]);
    expect(publish(folder, NEVER, SECOND)).toBeNull();
    expect(await view(folder)).toEqual(complete);
    rmSync(folder, { recursive: true });
  }
  expect(kills).toBeGreaterThan(8);
}, 180_000);

function isPrefix(page: string, whole: string): boolean {
  const items = (text: string) =>
    JSON.parse(text.slice(4)).items.map((item: unknown) => JSON.stringify(item)) as string[];
  return items(whole).slice(0, items(page).length).join() === items(page).join();
}

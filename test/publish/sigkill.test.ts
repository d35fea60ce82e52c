/** Readers of a directory get whole responses if its publisher is killed with SIGKILL at every step of a cycle. */
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { openStore } from "../../src/object-store/open-store.ts";
import { shimContext } from "../../src/shim/context.ts";
import { respond } from "../../src/shim/respond.ts";
import { fsck } from "../../src/verify/store/fsck.ts";
import { bundleScript } from "../support/bundled-script.ts";
import { sharedFolder } from "../support/test-folder.ts";
import { publishOnce } from "./mortal-publisher.ts";
import { receive, START } from "./world.ts";

const FIRST = START + 400_000;
const SECOND = START + 500_000;
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

/** Returns whether the publisher was killed before its nth store request. Otherwise it made fewer requests. */
function isKilledAt(n: number, folder: string): boolean {
  const { signal, status, stderr } = spawnSync(process.execPath, [publisher, folder, String(n), String(SECOND)], {
    encoding: "utf8",
    timeout: 30_000,
  });
  if (signal === null) expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return signal !== null;
}

const publish = (folder: string, at: number) => publishOnce(folder, at, (call) => call());

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
  return (await fsck(store, Date.now())).findings;
}

beforeAll(async () => {
  await bundleScript(join(import.meta.dirname, "mortal-publisher.ts"), publisher);
  const ledger = openLedgerForIntake(join(before, "ledger.db"));
  receive(ledger, 127, { rowId: 1, id: "wheel-1" });
  await publish(before, FIRST);
  receive(ledger, 3, { rowId: 1, id: "wheel-1" });
  ledger.close();
  cpSync(before, after, { recursive: true });
  await publish(after, SECOND);
});

test("a publisher that is killed before any store request leaves whole responses", async () => {
  const [old, complete] = [await view(before), await view(after)];
  expect(old).not.toEqual(complete);
  let kills = 0;
  for (let request = 0; ; request++) {
    const folder = join(root, String(request));
    cpSync(before, folder, { recursive: true });
    if (!isKilledAt(request, folder)) break;
    kills++;
    for (const [index, body] of (await view(folder)).entries()) {
      // A page may also end after a full tile while the next one is not yet stored.
      if (index === PAGE) expect(isPrefix(body, complete[PAGE] ?? "")).toBe(true);
      else expect([old[index], complete[index]]).toContain(body);
    }
    await publish(folder, SECOND);
    expect(await view(folder)).toEqual(complete);
    expect(await findings(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  }
  expect(kills).toBeGreaterThan(8);
}, 180_000);

function isPrefix(page: string, whole: string): boolean {
  const items = (text: string) =>
    JSON.parse(text.slice(4)).items.map((item: unknown) => JSON.stringify(item)) as string[];
  return items(whole).slice(0, items(page).length).join() === items(page).join();
}

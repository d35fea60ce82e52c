/**
 * The examples of the document are golden bodies of the tests and answers of the tests' worlds. Where one of them has
 * changed this is red until `npx vitest run --project unit test/openapi/examples.test.ts -u` has written them anew.
 */
import { join } from "node:path";
import { getAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { constantKey } from "../../src/http/keys.ts";
import examples from "../../src/openapi/examples.json" with { type: "json" };
import type { Example } from "../../src/openapi/examples.ts";
import { activityKey } from "../../src/resources/activity/keys.ts";
import { ONCHAIN_KEY } from "../../src/resources/onchain/route.ts";
import type { NamedRow } from "../../src/resources/table.ts";
import { coreTarget } from "../support/scripts/script-targets.ts";
import { scriptWorld } from "../support/scripts/script-world.ts";
import { type FullWorld, fullWorld } from "../verify/support/full-world.ts";
import { standIn } from "../verify/support/stand-in.ts";
import { golden, goldenText } from "./golden-bodies.ts";

const FILE = join(import.meta.dirname, "../../src/openapi/examples.json");

let full: FullWorld;
beforeAll(async () => {
  full = await fullWorld();
});
afterAll(() => full?.world.end());

test("examples.json is made of bodies of the tests", async () => {
  const telemetry = {
    online: { summary: "A measurement of the last two minutes", value: await answered("/v1/public/telemetry") },
  };
  const offline = {
    summary: "No measurement was ever accepted",
    value: await answered("/v1/public/installations/nobody/telemetry"),
  };
  const examples: Partial<Record<NamedRow["name"], Record<string, Example>>> = {
    telemetry,
    "installation-telemetry": { offline },
    modules: { stored: { summary: "Stored snapshots", value: await answered("/v1/public/modules") } },
    observations: {
      page: {
        summary: "A page of two",
        value: await answered(`/v1/public/installations/${await installation()}/observations?limit=2`),
      },
    },
    process: {
      available: { summary: "A submission was confirmed", value: golden("resources/process/golden/confirmed.json") },
      unknown: { summary: "Nothing is known yet", value: golden("resources/process/golden/nothing.json") },
    },
    statistics: {
      week: { summary: "Seven days", value: golden("resources/statistics/golden/oracle-not-initialized-7d.json") },
    },
    onchain: {
      available: { summary: "A safe snapshot", value: golden("resources/onchain/golden/available.json") },
      unavailable: { summary: "The chain does not answer", value: await stored(constantKey(ONCHAIN_KEY)) },
    },
    settlements: {
      queue: {
        summary: "Of all time, with the queue's projection",
        value: golden("resources/settlements/golden/v4-queue.json"),
      },
    },
    activity: {
      protocol: { summary: "Settlements and released rounds", value: golden("publish/activity/golden/protocol.json") },
      measurement: {
        summary: "Milestones of the measurement",
        value: golden("publish/activity/golden/measurement.json"),
      },
      unavailable: { summary: "The chain does not answer", value: await stored(constantKey(activityKey("all"))) },
    },
    "settlements-legacy": {
      now: { summary: "Of all time", value: golden("resources/settlements/golden/v3-now.json") },
    },
    "feed-json": { feed: { summary: "The newest entries", value: golden("resources/feed/golden/feed.json") } },
    "feed-atom": { feed: { summary: "The newest entries", value: goldenText("resources/feed/golden/feed.atom") } },
    badge: { online: { summary: "Online", value: await answeredFile("/badge.json") } },
    "publication-status": { live: { summary: "All is well", value: await answeredFile("/status.json") } },
  };
  await expect(`${JSON.stringify(examples, null, 2)}\n`).toMatchFileSnapshot(FILE);
});

test("every address in the examples is checksummed", () => {
  const addresses = JSON.stringify(examples).match(/"0x[0-9a-fA-F]{40}"/g) ?? [];
  expect(addresses.length).toBeGreaterThan(0);
  for (const address of addresses) expect(address).toBe(`"${getAddress(JSON.parse(address))}"`);
});

async function answered(target: string): Promise<unknown> {
  const { status, body } = await standIn(full)({ method: "GET", target, headers: {} });
  expect(status).toBe(200);
  return JSON.parse(new TextDecoder().decode(body));
}

async function installation(): Promise<string> {
  return ((await answered("/v1/public/telemetry")) as { installationId: string }).installationId;
}

async function stored(key: string): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode((await full.world.store.get(key))?.body));
}

async function answeredFile(target: string): Promise<unknown> {
  const { body } = await coreTarget(await scriptWorld()).send("GET", target, {});
  return JSON.parse(body);
}

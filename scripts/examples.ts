/**
 * The examples of the OpenAPI document: golden bodies of the tests, and responses of the tests' worlds. A route that is
 * not listed gets the response to its first query.
 */
import { constantKey } from "../src/http/keys.ts";
import type { Example } from "../src/openapi/responses.ts";
import { activityKey } from "../src/resources/activity/route.ts";
import { ONCHAIN_KEY } from "../src/resources/onchain/route.ts";
import { type NamedRow, ROUTES } from "../src/resources/table.ts";
import { golden } from "../test/openapi/golden-bodies.ts";
import { coreTarget } from "../test/support/scripts/script-targets.ts";
import { scriptWorld } from "../test/support/scripts/script-world.ts";
import { type FullWorld, fullWorld } from "../test/verify/support/full-world.ts";
import { standIn } from "../test/verify/support/stand-in.ts";

type Examples = Partial<Record<NamedRow["name"], Record<string, Example>>>;

export async function exampleFiles(): Promise<Record<string, string>> {
  const full = await fullWorld();
  try {
    return { "src/openapi/generated/examples.json": `${JSON.stringify(await examplesFrom(full), null, 2)}\n` };
  } finally {
    await full.world.end();
  }
}

async function examplesFrom(full: FullWorld): Promise<Examples> {
  const bodyOf = (target: string) => responseBody(full, target);
  const telemetry = {
    online: { summary: "A measurement of the last two minutes", value: await bodyOf("/v1/public/telemetry") },
  };
  const offline = {
    summary: "No measurement was ever accepted",
    value: await bodyOf("/v1/public/installations/nobody/telemetry"),
  };
  const examples: Examples = {
    telemetry,
    "installation-telemetry": { offline },
    modules: { stored: { summary: "Stored snapshots", value: await bodyOf("/v1/public/modules") } },
    observations: {
      page: {
        summary: "A page of two",
        value: await bodyOf(`/v1/public/installations/${await configuredInstallation(full)}/observations?limit=2`),
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
      unavailable: { summary: "The chain does not respond", value: await stored(full, constantKey(ONCHAIN_KEY)) },
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
      unavailable: {
        summary: "The chain does not respond",
        value: await stored(full, constantKey(activityKey("all"))),
      },
    },
    "settlements-legacy": {
      now: { summary: "Of all time", value: golden("resources/settlements/golden/v3-now.json") },
    },
    "publication-status": { live: { summary: "All is well", value: await scriptBody("/status.json") } },
  };
  for (const { name, path, objects } of ROUTES) {
    const query = objects[0]?.query;
    examples[name] ??= {
      example: { summary: "A response", value: await bodyOf(query ? `${path}?${query}` : path) },
    };
  }
  return examples;
}

async function responseBody(full: FullWorld, target: string): Promise<unknown> {
  const { status, body } = await standIn(full)({ method: "GET", target, headers: {} });
  if (status !== 200) throw new Error(`${target} is ${status}`);
  return JSON.parse(new TextDecoder().decode(body));
}

async function configuredInstallation(full: FullWorld): Promise<string> {
  return ((await responseBody(full, "/v1/public/telemetry")) as { installationId: string }).installationId;
}

async function stored(full: FullWorld, key: string): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode((await full.world.store.get(key))?.body));
}

async function scriptBody(target: string): Promise<unknown> {
  const { body } = await coreTarget(await scriptWorld()).send("GET", target, {});
  return JSON.parse(body);
}

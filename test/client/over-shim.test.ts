/** Every client method against the in-process shim, over the world of the HTTP scripts. */
import { expect, test } from "vitest";
import type { Fetch } from "../../src/client/exchange.ts";
import { encodeObservationCursor } from "../../src/resources/observations/route.ts";
import { webHandler } from "../../src/shim/web-handler.ts";
import { type ScriptWorld, scriptWorld } from "../support/scripts/script-world.ts";
import { clientUnderTest, collect } from "./support/client-under-test.ts";

async function overShim() {
  const world: ScriptWorld = await scriptWorld();
  const handler = webHandler(world.context);
  const statuses: number[] = [];
  const send: Fetch = async (url, init) => {
    const response = await handler(new Request(url, init));
    statuses.push(response.status);
    return response;
  };
  return { world, statuses, ...clientUnderTest({ fetch: send }) };
}

test("each call returns the body, the tag and the headers of its route", async () => {
  const { api } = await overShim();
  const answers = {
    telemetry: await api.telemetry(),
    installationTelemetry: await api.installationTelemetry("wheel-2"),
    modules: await api.modules(),
    observations: await api.observations("wheel-1", { cursor: encodeObservationCursor(5), limit: 2 }),
    process: await api.process(),
    statistics: await api.statistics({ range: "7d" }),
    onchain: await api.onchain(),
    settlements: await api.settlements({ range: "24h" }),
    queue: await api.settlements({ queue: true }),
    legacySettlements: await api.legacySettlements({ range: "30d" }),
    activity: await api.activity({ category: "protocol", limit: 1 }),
  };
  const of = Object.entries(answers).map(([name, { body, etag, notModified }]) => [name, { body, etag, notModified }]);
  expect(Object.fromEntries(of)).toMatchObject({
    telemetry: { etag: '"telemetry-1"', body: { installationId: "wheel-1", status: "online" } },
    installationTelemetry: { etag: '"telemetry-2"', body: { installationId: "wheel-2", status: "stale" } },
    modules: { etag: null, body: { modules: [] } },
    observations: { etag: null, body: { items: [{ sequence: 5 }, { sequence: 6 }] } },
    process: { etag: '"process-1"', body: { schemaVersion: 4 }, notModified: false },
    statistics: { etag: '"stats-7d"', body: { range: "7d" } },
    onchain: { etag: null, body: { status: "available" } },
    settlements: { etag: '"v4-24h-live"', body: { range: "24h" } },
    queue: { etag: '"v4-queue-live"', body: { range: "queue" } },
    legacySettlements: { etag: '"v3-30d-live"', body: { schemaVersion: 3, range: "30d" } },
    activity: { etag: null, body: { events: [{ id: "31337-105-0" }] } },
  });
  expect(answers.settlements.headers.get("x-service-settlement-source")).toBe("live");
});

test("an unchanged response is a 304 without a body, and the call returns the same object as before", async () => {
  const { api, statuses, world } = await overShim();
  const reads = [() => api.process(), () => api.statistics({ range: "7d" }), () => api.settlements({ range: "now" })];
  for (const read of reads) {
    const first = await read();
    const second = await read();
    expect(second).toMatchObject({ etag: first.etag, notModified: true });
    expect(second.body).toBe(first.body);
  }
  expect(statuses).toEqual([200, 304, 200, 304, 200, 304]);
  expect((await api.settlements({ range: "now" })).headers.get("x-service-settlement-source")).toBe("live");

  const before = await api.process();
  await world.control.setClock(120_001);
  const stale = await api.process();
  expect(stale).toMatchObject({
    etag: '"process-2"',
    notModified: false,
    body: { measurement: { freshness: "stale" } },
  });
  expect(stale.body).not.toBe(before.body);
});

test("eachObservation walks every page, from the start or after a cursor", async () => {
  const { api, statuses } = await overShim();
  const all = await collect(api.eachObservation("wheel-1"));
  expect(all.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 300 }, (_, index) => index));
  expect(statuses).toHaveLength(3);
  const later = await collect(api.eachObservation("wheel-1", { after: encodeObservationCursor(290), limit: 4 }));
  expect(later.map(({ sequence }) => sequence)).toEqual([290, 291, 292, 293, 294, 295, 296, 297, 298, 299]);
  expect(await collect(api.eachObservation("nobody"))).toEqual([]);
});

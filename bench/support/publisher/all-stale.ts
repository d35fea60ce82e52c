/**
 * All installations turn stale at one instant, by the clock alone: a publisher on its schedule, with its state kept, rewrites
 * them while its lease is renewed on a timer of its own.
 */
import { setTimeout as wait } from "node:timers/promises";
import { runSchedule } from "../../../publish/schedule/schedule.ts";
import { systemTimers } from "../../../publish/clock/clock.ts";
import { STATUS_KEY } from "../../../src/http/keys.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { installationTelemetryKey, TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { respond } from "../../../src/shim/respond.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { type Watched, watched } from "../loop-watch.ts";
import { openMany, RECEIVED } from "./many-installations.ts";

export interface AllStale extends Watched {
  /** Telemetry put, the configured installation's among it. */
  readonly puts: number;
  /** From the instant to the last put, ms. */
  readonly lastPutMs: number;
  /** The lease's renewals from the start to the end. */
  readonly renewals: number;
  /** The longest between two of them, ms. */
  readonly longestBetweenMs: number;
  /** A shim's response at the very instant, for an object that is still `online`. */
  readonly readBefore: string;
}

const STALE = RECEIVED + 120_001;
/** Before the instant, so that the first cycle, which has nothing to put of the others, is over. */
const LEAD_MS = 4_000;
/** A lease lives 30 s and is renewed every 10. */
const RENEWALS_MS = 12_000;

/** In a folder with the ledger and a state directory `state`, over a store that the publisher of that state has left. */
export async function allStale(folder: string, installations: number, directory: ObjectStore): Promise<AllStale> {
  const began = performance.now();
  const clock = { wall: () => STALE - LEAD_MS + Math.floor(performance.now() - began), monotonic: () => performance.now() };
  const staleAt = began + LEAD_MS;
  const telemetry: number[] = [];
  const leases: number[] = [];
  const store: ObjectStore = {
    name: directory.name,
    get: (key, options) => directory.get(key, options),
    list: (prefix) => directory.list(prefix),
    delete: (key) => directory.delete(key),
    async put(key, object, condition) {
      const tag = await directory.put(key, object, condition);
      if (key === STATUS_KEY) leases.push(performance.now());
      else if (key.endsWith("/telemetry") && performance.now() >= staleAt) telemetry.push(performance.now());
      return tag;
    },
  };
  const { publisher, stop } = await openMany(folder, { state: "state", store, clock });
  const ending = new AbortController();
  const nothing = () => {};
  const whole = (key: string) => directory.get(key).then((object) => new TextDecoder().decode(object?.body));
  let readBefore = "";
  const seen = await watched(async () => {
    const running = runSchedule(publisher, {
      cadence: "* * * * * *",
      clock,
      timers: systemTimers,
      signal: ending.signal,
      onCycle: nothing,
      onLate: nothing,
      onOutage: (error) => {
        throw error;
      },
    });
    await wait(LEAD_MS / 2);
    const last = `wheel-${installations}`;
    const { body } = await respond(
      { method: "GET", url: `/v1/public/installations/${last}/telemetry` },
      shimContext({ store: directory, now: () => STALE, monotonic: () => 0 }),
    );
    const key = installations === 1 ? TELEMETRY_KEY : installationTelemetryKey(last);
    const object = JSON.parse(await whole(key)) as { status: string };
    readBefore = `${(JSON.parse(new TextDecoder().decode(body)) as { status: string }).status}, the object ${object.status}`;
    while (telemetry.length < installations) await wait(100);
    await wait(RENEWALS_MS);
    ending.abort();
    await running;
  });
  const gaps = leases.slice(1).map((at, index) => at - (leases[index] ?? at));
  await stop();
  return {
    ...seen,
    puts: telemetry.length,
    lastPutMs: Math.max(...telemetry) - staleAt,
    renewals: gaps.length,
    longestBetweenMs: Math.max(...gaps),
    readBefore,
  };
}

/**
 * Lets all installations turn stale at one instant, without new facts. The publisher runs on its schedule with its
 * state kept, and its lease is renewed by a separate timer.
 */
import { setTimeout as wait } from "node:timers/promises";
import { systemTimers } from "../../../../publish/clock/timers.ts";
import { runSchedule } from "../../../../publish/schedule/schedule.ts";
import { STATUS_KEY } from "../../../../src/http/keys.ts";
import type { ObjectStore } from "../../../../src/object-store/object-store.ts";
import { installationTelemetryKey, TELEMETRY_KEY } from "../../../../src/resources/telemetry/route.ts";
import { shimContext } from "../../../../src/shim/context.ts";
import { respond } from "../../../../src/shim/respond.ts";
import { type LoopTimes, watchLoop } from "../loop-watch.ts";
import { openMany, RECEIVED } from "./many-installations.ts";

export interface AllStale extends LoopTimes {
  /** Telemetry puts, including the configured installation's. */
  readonly puts: number;
  /** From the stale instant to the last put, ms. */
  readonly lastPutMs: number;
  /** Lease renewals during the textOf run. */
  readonly renewals: number;
  /** Longest interval between two renewals, ms. */
  readonly maxRenewalGapMs: number;
  /** The shim's response at the stale instant, for an object that still says `online`. */
  readonly responseBefore: string;
}

const STALE = RECEIVED + 120_001;
/** Start this long before the stale instant, so that the first cycle is over by then. */
const LEAD_MS = 4_000;
/** Longer than the renewal interval of 10 s; a lease lives 30 s. */
const RENEWALS_MS = 12_000;

/**
 * `folder` holds the ledger and the directory `state`; `directory` is the store that the publisher of that state wrote.
 */
export async function allStale(folder: string, installations: number, directory: ObjectStore): Promise<AllStale> {
  const began = performance.now();
  const clock = {
    wall: () => STALE - LEAD_MS + Math.floor(performance.now() - began),
    monotonic: () => performance.now(),
  };
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
  const controller = new AbortController();
  const ignore = () => {};
  const textOf = (key: string) => directory.get(key).then((object) => new TextDecoder().decode(object?.body));
  let responseBefore = "";
  const times = await watchLoop(async () => {
    const running = runSchedule(publisher, {
      cadence: "* * * * * *",
      clock,
      timers: systemTimers,
      signal: controller.signal,
      onCycle: ignore,
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
    const object = JSON.parse(await textOf(key)) as { status: string };
    responseBefore = `${(JSON.parse(new TextDecoder().decode(body)) as { status: string }).status}, the object ${object.status}`;
    while (telemetry.length < installations) await wait(100);
    await wait(RENEWALS_MS);
    controller.abort();
    await running;
  });
  const gaps = leases.slice(1).map((at, index) => at - (leases[index] ?? at));
  await stop();
  return {
    ...times,
    puts: telemetry.length,
    lastPutMs: Math.max(...telemetry) - staleAt,
    renewals: gaps.length,
    maxRenewalGapMs: Math.max(...gaps),
    responseBefore,
  };
}

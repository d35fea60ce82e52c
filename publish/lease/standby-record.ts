/**
 * `standby.json`: a standby rewrites it at each read of the lease. While it changes, the holder renews faster. `noonmark status`
 * shows what it says of the standby's ledger.
 */

import * as z from "zod";
import { STANDBY_KEY } from "../../src/http/keys.ts";
import { type ObjectStore, readIfWhole, type StoreTag } from "../../src/object-store/object-store.ts";
import { JSON_TYPE } from "../../src/object-store/stored-response.ts";
import { FORMAT_VERSION } from "../../src/values/format.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";
import { publicName } from "./lease-record.ts";

/** An announcement is valid for this time (ms), in which a standby reads the lease three times. */
const RECENT_MS = 6_000;

const standbyRecordSchema = z.object({
  schemaVersion: z.literal(FORMAT_VERSION),
  /** The standby's random id, as in the lease's `holder`. */
  standby: z.string(),
  name: z.string(),
  at: z.iso.datetime(),
  /** The last check of the standby's ledger; null before the first. Another version may not write it. */
  ledger: z
    .object({
      status: z.string(),
      failure: z.object({ code: z.string(), message: z.string(), hint: z.string() }).nullable(),
    })
    .nullable()
    .default(null),
});

export type StandbyRecord = z.infer<typeof standbyRecordSchema>;

/** `holder`: the standby's random id; `now` in epoch ms. */
export async function announce(
  store: ObjectStore,
  holder: string,
  now: number,
  ledger: StandbyRecord["ledger"] | undefined,
): Promise<void> {
  const record: StandbyRecord = {
    schemaVersion: FORMAT_VERSION,
    standby: holder,
    name: publicName(holder),
    at: formatTimestamp(now),
    ledger: ledger ?? null,
  };
  await store.put(STANDBY_KEY, {
    body: Buffer.from(`${JSON.stringify(record)}\n`),
    contentType: JSON_TYPE,
    metadata: {},
  });
}

/** A standby that has not written for this long (ms) is gone. The clocks of two hosts may differ by some seconds. */
const GONE_AFTER_MS = 30_000;

/** Returns the standby that has written last; undefined if it is gone, or holds the lease. `now` in epoch ms. */
export async function readStandby(store: ObjectStore, holder: string, now: number): Promise<StandbyRecord | undefined> {
  const object = await readIfWhole(store, STANDBY_KEY);
  const { data } = standbyRecordSchema.safeParse(object && parsedOrNull(object.body));
  const isWaiting = data !== undefined && data.standby !== holder && now - Date.parse(data.at) <= GONE_AFTER_MS;
  return isWaiting ? data : undefined;
}

/** Shows a holder if a standby waits. */
export class StandbyWatch {
  readonly #store: ObjectStore;
  readonly #wall: () => number;
  readonly #self: string;
  #seen: StoreTag | "none" | undefined;

  /** `self`: the holder's own id, because it may have been the standby before. */
  constructor(store: ObjectStore, wall: () => number, self: string) {
    this.#store = store;
    this.#wall = wall;
    this.#self = self;
  }

  /** True if a standby has written since the last call. The first call has no earlier tag, and trusts the record's time. */
  async isAwaited(): Promise<boolean> {
    // A damaged object must not delay a renewal; a standby that is alive rewrites it.
    const object = await readIfWhole(this.#store, STANDBY_KEY);
    const before = this.#seen;
    this.#seen = object?.tag ?? "none";
    if (object === undefined) return false;
    const { data } = standbyRecordSchema.safeParse(parsedOrNull(object.body));
    const isRecent = data !== undefined && Math.abs(this.#wall() - Date.parse(data.at)) <= RECENT_MS;
    return before === undefined ? isRecent && data.standby !== this.#self : object.tag !== before;
  }
}

function parsedOrNull(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
}

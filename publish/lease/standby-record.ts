/** `standby.json`: a standby writes it anew at each read of the lease, so that the holder knows of it and renews faster. */

import * as z from "zod";
import { STANDBY_KEY } from "../../src/http/keys.ts";
import type { ObjectStore, StoreTag } from "../../src/object-store/object-store.ts";
import { readIfWhole } from "../../src/object-store/read-or-damaged.ts";
import { JSON_TYPE } from "../../src/object-store/stored-response.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";
import { publicName } from "./lease-record.ts";

/** Three reads of a standby: within these what it says of when it last read is believed (ms). */
const LATELY_MS = 6_000;

const standbyRecordSchema = z.object({
  schemaVersion: z.literal(1),
  /** The standby's random id, as in the lease's `holder`. */
  standby: z.string(),
  name: z.string(),
  at: z.iso.datetime(),
});

/** `holder`: the standby's random id; `now` in epoch ms. */
export async function announce(store: ObjectStore, holder: string, now: number): Promise<void> {
  const at = formatTimestamp(now);
  const record = { schemaVersion: 1, standby: holder, name: publicName(holder), at };
  await store.put(STANDBY_KEY, {
    body: Buffer.from(`${JSON.stringify(record)}\n`),
    contentType: JSON_TYPE,
    metadata: {},
  });
}

/** A holder's eye on whoever waits. */
export class StandbyWatch {
  readonly #store: ObjectStore;
  readonly #wall: () => number;
  readonly #self: string;
  #seen: StoreTag | "none" | undefined;

  /** `self`: the holder's own id; it may have been the standby before. */
  constructor(store: ObjectStore, wall: () => number, self: string) {
    this.#store = store;
    this.#wall = wall;
    this.#self = self;
  }

  /** Whether one has written since it was last asked; the first time, whether it says so. */
  async isAwaited(): Promise<boolean> {
    // A damaged one holds up no renewal; a standby that lives puts it anew.
    const object = await readIfWhole(this.#store, STANDBY_KEY);
    const before = this.#seen;
    this.#seen = object?.tag ?? "none";
    if (object === undefined) return false;
    const { data } = standbyRecordSchema.safeParse(parsedOrNull(object.body));
    const isLate = data !== undefined && Math.abs(this.#wall() - Date.parse(data.at)) <= LATELY_MS;
    const isAwaited = before === undefined ? isLate && data.standby !== this.#self : object.tag !== before;
    return isAwaited;
  }
}

function parsedOrNull(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
}

/**
 * Counts a publisher's requests to its store by kind of object, over one to two days, for `noonmark cost`
 * (docs/spec/people.md#status-command). The counts are kept in the state directory, so that `publish --once` runs add up.
 */
import * as z from "zod";
import { isDiskFull } from "../../src/files/disk-full.ts";
import type { StoreOperation } from "../../src/object-store/counted-store.ts";
import { objectClass } from "../../src/resources/object-class.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";
import type { Known } from "../known.ts";

const count = z.number().int().nonnegative();
const countsSchema = z.object({ put: count, get: count, list: count, delete: count });
export type RequestCounts = z.infer<typeof countsSchema>;

/** By the class of the key (`objectClass`). */
const objectsSchema = z.record(z.string(), countsSchema);

export const measuredRequestsSchema = z.object({
  since: z.iso.datetime(),
  until: z.iso.datetime(),
  objects: objectsSchema,
});
export type MeasuredRequests = z.infer<typeof measuredRequestsSchema>;

/** `since` in epoch ms. */
const windowSchema = z.object({ since: z.number(), objects: objectsSchema });
type Window = z.infer<typeof windowSchema>;
const savedSchema = z.object({ current: windowSchema, previous: windowSchema.optional() });

/** Length of a window (ms). A report covers the current window and the one before. */
const WINDOW_MS = 86_400_000;
const META = "requests";

export class RequestTally {
  readonly #known: Known;
  #current: Window;
  #previous: Window | undefined;

  /** Continues the counts in the state directory; `now` in epoch ms. */
  constructor(known: Known, now: number) {
    this.#known = known;
    const saved = parseSaved(known.rows.meta(META));
    // A window that begins in the future (the clock was set back) is useless.
    const isUsable = saved !== undefined && (saved.previous ?? saved.current).since <= now;
    this.#current = isUsable ? saved.current : { since: now, objects: {} };
    this.#previous = isUsable ? saved.previous : undefined;
  }

  count(operation: StoreOperation, key: string): void {
    const { keys } = objectClass(key);
    const counts = (this.#current.objects[keys] ??= { put: 0, get: 0, list: 0, delete: 0 });
    counts[operation] += 1;
  }

  /** Must be called before the state directory is closed. */
  save(): void {
    try {
      this.#known.rows.setMeta(META, JSON.stringify({ current: this.#current, previous: this.#previous }));
    } catch (error) {
      // Other writes to the state directory report a full disk. Counts are not worth a failure.
      if (!isDiskFull(error)) throw error;
    }
  }

  /** Returns the counts, and saves them. `now` in epoch ms. */
  report(now: number): MeasuredRequests {
    if (now - this.#current.since >= WINDOW_MS) {
      this.#previous = this.#current;
      this.#current = { since: now, objects: {} };
    }
    const [current, previous] = [this.#current, this.#previous];
    this.save();
    const since = previous?.since ?? current.since;
    const objects = previous === undefined ? current.objects : sumOf(previous.objects, current.objects);
    return { since: formatTimestamp(since), until: formatTimestamp(now), objects: structuredClone(objects) };
  }
}

function parseSaved(text: string | undefined): z.infer<typeof savedSchema> | undefined {
  if (text === undefined) return undefined;
  try {
    return savedSchema.parse(JSON.parse(text));
  } catch {
    // Another version wrote them, so counting starts again.
    return undefined;
  }
}

function sumOf(one: Window["objects"], other: Window["objects"]): Window["objects"] {
  const sum = structuredClone(one);
  for (const [keys, counts] of Object.entries(other)) {
    const known = (sum[keys] ??= { put: 0, get: 0, list: 0, delete: 0 });
    for (const operation of ["put", "get", "list", "delete"] as const) known[operation] += counts[operation];
  }
  return sum;
}

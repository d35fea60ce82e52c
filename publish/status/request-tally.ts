/**
 * What a publisher has asked of its store, by kind of object, over its last day or two: what `noonmark cost` works a month
 * out from (docs/spec/people.md#status-command). Kept beside what was published, so that runs of `publish --once` add up.
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

/** By keys as `objectClass` names them. */
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

/** A window this old (ms) becomes the one before: what is told is of one to two of them. */
const WINDOW_MS = 86_400_000;
const META = "requests";

export class RequestTally {
  readonly #known: Known;
  #current: Window;
  #previous: Window | undefined;

  /** Goes on from what the state directory holds; `now` in epoch ms. */
  constructor(known: Known, now: number) {
    this.#known = known;
    const saved = parseSaved(known.meta(META));
    // A clock that was set back would make a month of nothing.
    const isUsable = saved !== undefined && (saved.previous ?? saved.current).since <= now;
    this.#current = isUsable ? saved.current : { since: now, objects: {} };
    this.#previous = isUsable ? saved.previous : undefined;
  }

  count(operation: StoreOperation, key: string): void {
    const { keys } = objectClass(key);
    const counts = (this.#current.objects[keys] ??= { put: 0, get: 0, list: 0, delete: 0 });
    counts[operation] += 1;
  }

  /** To be called before the state directory is let go. */
  save(): void {
    try {
      this.#known.setMeta(META, JSON.stringify({ current: this.#current, previous: this.#previous }));
    } catch (error) {
      // A full disk is told by what has to be kept there; nothing waits for a count.
      if (!isDiskFull(error)) throw error;
    }
  }

  /** Saves it too; `now` in epoch ms. */
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
    // Another version's: counting begins anew.
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

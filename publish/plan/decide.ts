/**
 * Whether a response is put, and as of which instant (docs/spec/publishing.md#frozen-bytes). The same fingerprint means
 * the same bytes: a response that differs by `generatedAt` alone stays, and a successor whose time has come is put as it
 * was built for its instant.
 */
import type { Built } from "../../src/resources/built.ts";
import type { KnownObject } from "../known.ts";
import { WAS_DAMAGED } from "../report.ts";
import { type Future, futureOf, identityOf } from "./successors.ts";

export type Decision = Judgement & ({ readonly put: false } | { readonly put: true; readonly future: Future });

interface Judgement {
  readonly why: string;
  /** Epoch ms of the next change by time alone. */
  readonly dueAt: number | undefined;
  /** The build has nothing good to say, and only fills a place that is empty. */
  readonly isPlaceholder: boolean;
}

export interface DecideOptions {
  /** Put as of now, changed or not. */
  readonly force: boolean;
  /** The stored object speaks of another installation, or of a history that was left behind. */
  readonly isOthers?: boolean;
}

/** `build` is pure in its instant (epoch ms). */
export function decide(
  build: (at: number) => Built,
  known: KnownObject,
  at: number,
  { force, isOthers = false }: DecideOptions,
): Decision {
  if (isNew(known)) return put(build, at, "new");
  if (isOthers) return put(build, at, "another installation's, or an earlier history's");
  if (known.condition !== "stored") return put(build, at, WAS_DAMAGED);
  if (force) return put(build, at, "forced");
  const fresh = build(at);
  // A build may read hundreds of rows: none is repeated.
  const buildAt = (instant: number) => (instant === at ? fresh : build(instant));
  if (fresh.onlyIfAbsent === true) return { ...keep(whyKept(known), undefined), isPlaceholder: true };
  const index = known.states.findLastIndex((state) => state.from <= at);
  const current = known.states[index];
  if (current === undefined || current.identity !== identityOf(fresh)) return put(buildAt, at, "changed");
  if (index > 0) return put(buildAt, current.from, "its time has come");
  const next = known.states[1]?.from;
  if (staysValid(next, fresh.nextChangeAt, at)) return keep("unchanged", next);
  return put(buildAt, current.from, "its future has changed");
}

/** True if nothing was ever published under the key, as far as is known. */
export function isNew({ condition, asof }: KnownObject): boolean {
  return condition === "absent" && asof.at === 0;
}

function whyKept({ status }: KnownObject): string {
  return status === 200 ? "a good answer stands" : `there is still no answer: the ${status} stands`;
}

/**
 * True if the next change that was published still serves: it is the one that holds now, or it comes sooner (to be valid
 * for a shorter time is no lie) and at least half of the time is left.
 */
function staysValid(published: number | undefined, now: number | undefined, at: number): boolean {
  if (published === now) return true;
  if (published === undefined || now === undefined) return false;
  return published < now && (published - at) * 2 >= now - at;
}

function keep(why: string, dueAt: number | undefined): Decision {
  return { put: false, why, dueAt, isPlaceholder: false };
}

function put(build: (at: number) => Built, at: number, why: string): Decision {
  const future = futureOf(build, at);
  const isPlaceholder = future.built.onlyIfAbsent === true;
  return { put: true, why, dueAt: future.states[1]?.from, isPlaceholder, future };
}

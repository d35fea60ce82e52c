/**
 * Whether an answer is put, and as of which instant (docs/spec/publishing.md#frozen-bytes and #scheduled-versions).
 * A revision is one byte sequence: what differs by generatedAt alone is left as it is, and where time alone has
 * made a successor of it, that successor's very bytes are put in its place.
 */
import type { Built } from "../../src/resources/built.ts";
import { WAS_DAMAGED } from "../puts/report.ts";
import type { PublishedObject } from "../state/published.ts";
import { type Future, futureOf, identityOf } from "./future.ts";
import { isDamaged } from "./published-object.ts";

export type Decision = Judgement & ({ readonly put: false } | { readonly put: true; readonly future: Future });

interface Judgement {
  readonly why: string;
  /** Epoch ms of the next change by time alone. */
  readonly dueAt: number | undefined;
  /** What was built only says that there is nothing good to say. */
  readonly isGap: boolean;
}

export interface DecideOptions {
  /** Put as of now, changed or not. */
  readonly force: boolean;
  /** What is published speaks of another installation, or of a history that was left behind. */
  readonly isOthers?: boolean;
}

/** `build` is pure in its instant (epoch ms); `published` is what the store holds, as far as is known. */
export function decide(
  build: (at: number) => Built,
  published: PublishedObject | undefined,
  at: number,
  options: DecideOptions,
): Decision {
  if (published === undefined) return put(build, at, "new");
  if (options.isOthers === true) return put(build, at, "another installation's, or an earlier history's");
  if (isDamaged(published)) return put(build, at, WAS_DAMAGED);
  if (options.force) return put(build, at, "forced");
  const fresh = build(at);
  // A build may read hundreds of rows: none is asked for twice.
  const known = (instant: number) => (instant === at ? fresh : build(instant));
  if (fresh.onlyIfAbsent === true) return { ...keep(whyKept(published), undefined), isGap: true };
  const index = published.states.findLastIndex((state) => state.from <= at);
  const current = published.states[index];
  if (current === undefined || current.identity !== identityOf(fresh)) return put(known, at, "changed");
  if (index > 0) return put(known, current.from, "its time has come");
  const next = published.states[1]?.from;
  if (staysValid(next, fresh.nextChangeAt, at)) return keep("unchanged", next);
  return put(known, current.from, "its future has changed");
}

/** Of an answer that is put only where nothing stands: what stands is a good one, or the same without an answer. */
function whyKept({ status }: PublishedObject): string {
  return status === 200 ? "a good answer stands" : `there is still no answer: the ${status} stands`;
}

/**
 * Whether the next change that was published still serves: it does when it is the one that holds now, or comes
 * sooner (to be valid for less is no lie) and at least half of the time is left.
 */
function staysValid(published: number | undefined, now: number | undefined, at: number): boolean {
  if (published === now) return true;
  if (published === undefined || now === undefined) return false;
  return published < now && (published - at) * 2 >= now - at;
}

function keep(why: string, dueAt: number | undefined): Decision {
  return { put: false, why, dueAt, isGap: false };
}

function put(build: (at: number) => Built, at: number, why: string): Decision {
  const future = futureOf(build, at);
  const isGap = future.built.onlyIfAbsent === true;
  return { put: true, why, dueAt: future.states[1]?.from, isGap, future };
}

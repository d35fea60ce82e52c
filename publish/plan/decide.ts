/**
 * Decides if a response is put, and as of which instant (docs/spec/publishing.md#frozen-bytes). A response that differs
 * from the stored one only by `generatedAt` is not put. A due successor is put exactly as it was announced.
 */
import { representationOf } from "../../src/http/representation.ts";
import type { SourceVersion } from "../../src/object-store/stored-response.ts";
import type { Built } from "../../src/resources/built.ts";
import type { KnownObject } from "../known-objects.ts";
import { WAS_DAMAGED } from "../report.ts";
import type { Put } from "./plan.ts";
import { type Future, fingerprintOf, fitResponse, futureOf } from "./successors.ts";

export type Decision = Judgement & ({ readonly put: false } | { readonly put: true; readonly future: Future });

interface Judgement {
  readonly why: string;
  /** Epoch ms at which the response changes without new input. */
  readonly dueAt: number | undefined;
  /** Decided while a source is incomplete, so the next change need not wait for the pace of puts. */
  readonly isProvisional: boolean;
}

export interface DecideOptions {
  /** Put as of now, changed or not. A placeholder still replaces no good response. */
  readonly force: boolean;
  /** Why the stored object does not belong to this installation and its log; undefined if it does. */
  readonly whyOthers?: string | undefined;
  /** A newer program wrote the stored object. An older one must not replace its files, even with `force`. */
  readonly isNewer?: boolean;
  /** The chain is read for the first time. A good response stays until its end. */
  readonly isChainUndecided?: boolean;
}

/** `build` is pure in its instant (epoch ms). */
export function decide(build: (at: number) => Built, known: KnownObject, at: number, options: DecideOptions): Decision {
  let fresh: Built | undefined;
  const buildAt = (instant: number) => {
    if (instant !== at) return build(instant);
    // A build may read hundreds of rows, so it is not repeated.
    fresh ??= build(at);
    return fresh;
  };
  const decision = putDecisionOf(buildAt, known, at, options);
  if (!decision.put) return decision;
  const future = futureOf(buildAt, decision.from);
  const isProvisional = future.built.isPlaceholder === true;
  return { put: true, why: decision.why, dueAt: future.states[1]?.from, isProvisional, future };
}

/** `from`: the response is put as of this instant (epoch ms). */
type PutDecision =
  | (Judgement & { readonly put: false })
  | { readonly put: true; readonly why: string; readonly from: number };

function putDecisionOf(
  build: (at: number) => Built,
  known: KnownObject,
  at: number,
  { force, whyOthers, isNewer = false, isChainUndecided = false }: DecideOptions,
): PutDecision {
  const isStored = known.condition === "stored";
  const next = known.states[1]?.from;
  if (isStored && isNewer) return keep("written by a newer version", undefined);
  if (isStored && isChainUndecided && next !== undefined && next > at) {
    return { ...keep("still valid while the chain is read", next), isProvisional: true };
  }
  if (isNew(known)) return put("new", at);
  if (whyOthers !== undefined) return put(whyOthers, at);
  if (!isStored) return put(WAS_DAMAGED, at);
  const fresh = build(at);
  const { isPlaceholder = false } = fresh;
  if (force && !(isPlaceholder && isGood(known))) return put("forced", at);
  if (isPlaceholder) return { ...keep(whyKept(known), undefined), isProvisional: true };
  const index = known.states.findLastIndex((state) => state.from <= at);
  const current = known.states[index];
  if (current === undefined || current.fingerprint !== fingerprintOf(fresh)) return put("changed", at);
  if (index > 0) return put("its successor is due", current.from);
  if (staysValid(next, fresh.nextChangeAt, at)) return keep("unchanged", next);
  return put("its successors have changed", current.from);
}

/** True if nothing was ever published under the key. */
export function isNew({ condition, sourceVersion }: KnownObject): boolean {
  return condition === "absent" && sourceVersion.at === 0;
}

function isGood({ status }: KnownObject): boolean {
  return status === 200;
}

function whyKept(known: KnownObject): string {
  return isGood(known) ? "a good response is stored" : `still unavailable: a ${known.status} is stored`;
}

/** True if the stored next change can stay: it is right, or it is earlier and at least half as far away. */
function staysValid(published: number | undefined, now: number | undefined, at: number): boolean {
  if (published === now) return true;
  if (published === undefined || now === undefined) return false;
  return published < now && (published - at) * 2 >= now - at;
}

function keep(why: string, dueAt: number | undefined): Judgement & { readonly put: false } {
  return { put: false, why, dueAt, isProvisional: false };
}

function put(why: string, from: number): PutDecision {
  return { put: true, why, from };
}

/** The key of a response, and the object that it replaces. */
export interface Place extends Pick<Put, "key" | "resource" | "phase"> {
  readonly before: KnownObject;
  readonly sourceVersion: SourceVersion;
  /** Later plans read the body. */
  readonly keepsBody: boolean;
}

export function responsePut({ future, why }: Decision & { readonly put: true }, place: Place): Put {
  const { before, sourceVersion, keepsBody, ...rest } = place;
  const { built, states, successors } = future;
  const { status } = built;
  const etag = built.headers.etag ?? null;
  const constants = successors.flatMap((successor) => (successor.key === undefined ? [] : [successor.key]));
  let kept = states;
  return {
    ...rest,
    why,
    action: isNew(before) ? "created" : "updated",
    status,
    etag,
    replaces: before.tag,
    after: constants,
    isFromFacts: sourceVersion.size !== undefined,
    isContentEnough: false,
    object({ epoch, writer }) {
      const representation = representationOf(built);
      const writerMetadata = { epoch, writer, sourceVersion };
      const fitted = fitResponse({ representation, body: Buffer.from(built.body), successors, states, writerMetadata });
      kept = fitted.states;
      return fitted.object;
    },
    confirmed(known, tag, object) {
      const { key } = rest;
      const bytes = object.body.length;
      const putAt = sourceVersion.at;
      known.objects.remember({
        key,
        condition: "stored",
        tag,
        states: kept,
        sourceVersion,
        status,
        bytes,
        etag,
        putAt,
      });
      if (keepsBody) known.objects.keepBody(key, object);
    },
    conflicted: (known) => known.objects.forget(rest.key),
  };
}

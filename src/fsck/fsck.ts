/**
 * `noonmark fsck` checks every invariant of the stored objects from their bytes (docs/fsck.md). A second pass confirms
 * findings, because a publisher may have written between two reads of the first one.
 */
import { keyFault } from "../object-store/check-object.ts";
import { type ObjectStore, StoreDamaged } from "../object-store/object-store.ts";
import { printable } from "../values/printable.ts";
import { Facts } from "./facts.ts";
import { type JudgeOptions, judgeObject } from "./judge.ts";
import { logFindings } from "./log.ts";
import {
  activityFindings,
  installationFindings,
  leaseFindings,
  namedFindings,
  observationFindings,
} from "./relations.ts";
import type { StoreFinding } from "./rules.ts";

export interface FsckReport {
  readonly objects: number;
  readonly findings: readonly StoreFinding[];
}

/** Reads in flight. */
const CONCURRENCY = 16;

/** Checks all objects of a store. Throws `StoreUnavailable`. */
export async function fsck(store: ObjectStore, options: JudgeOptions): Promise<FsckReport> {
  const first = await pass(store, options);
  if (first.findings.length === 0) return first;
  const again = await pass(store, options);
  const before = new Set(first.findings.map(fingerprintOf));
  return { ...again, findings: again.findings.filter((finding) => before.has(fingerprintOf(finding))) };
}

async function pass(store: ObjectStore, options: JudgeOptions): Promise<FsckReport> {
  const facts = new Facts();
  const findings: StoreFinding[] = [];
  for await (const key of store.list("")) facts.keys.add(key);
  const keys = facts.keys.values();
  const work = async () => {
    for (const key of keys) findings.push(...(await judgeKey(store, key, facts, options)));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  findings.push(
    ...leaseFindings(facts),
    ...installationFindings(facts),
    ...observationFindings(facts),
    ...logFindings(facts),
    ...activityFindings(facts, options.now),
    ...namedFindings(facts),
  );
  const byIdentity = new Map(findings.map((finding) => [fingerprintOf(finding), finding]));
  const inOrder = [...byIdentity.keys()].toSorted().flatMap((identity) => byIdentity.get(identity) ?? []);
  return { objects: facts.keys.size, findings: inOrder };
}

async function judgeKey(store: ObjectStore, key: string, facts: Facts, options: JudgeOptions): Promise<StoreFinding[]> {
  const fault = keyFault(key);
  // No store reads such a key.
  if (fault !== undefined) return [{ rule: "foreign-key", key, says: `no publisher can write this key: it ${fault}` }];
  try {
    const object = await store.get(key, { fresh: true });
    // The object was deleted after the listing.
    if (object === undefined) facts.keys.delete(key);
    return object === undefined ? [] : judgeObject(key, object, facts, options);
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error;
    facts.damaged.add(key);
    return [{ rule: "damaged", key, says: error.message.slice(`${key} is damaged: `.length) }];
  }
}

function fingerprintOf({ rule, key }: StoreFinding): string {
  return `${key} ${rule}`;
}

/** `repaired` has the findings that a repair removed. */
export type Report = FsckReport & { readonly repaired?: readonly StoreFinding[] };

export function reportLines({ objects, findings, repaired }: Report): string[] {
  const counts = [`${objects} objects`, `${findings.length} findings`];
  if (repaired !== undefined) counts.push(`${repaired.length} repaired`);
  return [
    ...(repaired ?? []).map((finding) => `DONE ${lineOf(finding)}`),
    ...findings.map((finding) => `FAIL ${lineOf(finding)}`),
    counts.join(", "),
  ];
}

/** A key has up to 1,024 bytes. It is printed completely, so that it can be searched for. */
function lineOf({ rule, key, says }: StoreFinding): string {
  return `${rule} ${printable(key, 1_024)}: ${printable(says)}`;
}

export function reportJson({ objects, findings, repaired }: Report): string {
  return JSON.stringify({ objects, findings, ...(repaired === undefined ? {} : { repaired }) });
}

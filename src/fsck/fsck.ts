/**
 * Every invariant of the stored objects, from their bytes alone (docs/fsck.md). What is found is looked for once more: a
 * publisher that runs meanwhile makes what was read earlier disagree with what was read later.
 */
import { type ObjectStore, StoreDamaged } from "../object-store/object-store.ts";
import { Facts } from "./facts.ts";
import { type JudgeOptions, judgeObject } from "./judge.ts";
import { activityFindings } from "./relations/activity.ts";
import { installationFindings } from "./relations/installations.ts";
import { leaseFindings } from "./relations/lease.ts";
import { namedFindings } from "./relations/named.ts";
import { observationFindings } from "./relations/observations.ts";
import type { Finding } from "./rules.ts";

export interface FsckReport {
  readonly objects: number;
  readonly findings: readonly Finding[];
}

/** Objects read at once. */
const CONCURRENCY = 16;

/** Throws `StoreUnavailable` where the store does not answer. */
export async function fsck(store: ObjectStore, options: JudgeOptions): Promise<FsckReport> {
  const first = await pass(store, options);
  if (first.findings.length === 0) return first;
  const again = await pass(store, options);
  const before = new Set(first.findings.map(identityOf));
  return { ...again, findings: again.findings.filter((finding) => before.has(identityOf(finding))) };
}

/** The rules of single objects for these keys alone, and the lease against them: cheap, and it lists nothing. */
export async function fsckKeys(
  store: ObjectStore,
  keys: readonly string[],
  options: JudgeOptions,
): Promise<readonly Finding[]> {
  const facts = new Facts();
  for (const key of keys) facts.keys.add(key);
  const findings: Finding[] = [];
  for (const key of keys) findings.push(...(await judgeKey(store, key, facts, options)));
  return [...findings, ...leaseFindings(facts)];
}

async function pass(store: ObjectStore, options: JudgeOptions): Promise<FsckReport> {
  const facts = new Facts();
  const findings: Finding[] = [];
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
    ...activityFindings(facts, options.now),
    ...namedFindings(facts),
  );
  const byIdentity = new Map(findings.map((finding) => [identityOf(finding), finding]));
  const inOrder = [...byIdentity.keys()].toSorted().flatMap((identity) => byIdentity.get(identity) ?? []);
  return { objects: facts.keys.size, findings: inOrder };
}

async function judgeKey(store: ObjectStore, key: string, facts: Facts, options: JudgeOptions): Promise<Finding[]> {
  try {
    const object = await store.get(key, { fresh: true });
    // Deleted since it was listed.
    if (object === undefined) facts.keys.delete(key);
    return object === undefined ? [] : judgeObject(key, object, facts, options);
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error;
    facts.damaged.add(key);
    return [{ rule: "damaged", key, says: error.message.slice(`${key} is damaged: `.length) }];
  }
}

function identityOf({ rule, key }: Finding): string {
  return `${key} ${rule}`;
}

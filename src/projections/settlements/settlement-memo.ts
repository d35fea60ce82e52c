/** What one cycle works out of the settlements' tables for several answers is worked out once. */
import type { Database } from "better-sqlite3";
import { changesOf } from "../chain-events.ts";
import { SETTLEMENTS_PROJECTION } from "./settlements.ts";

interface Memo {
  readonly changes: number;
  readonly values: Map<string, unknown>;
}

const memos = new WeakMap<Database, Memo>();
/** Windows move on while nothing is settled: more than this is of instants that are over. */
const MOST = 64;

/** `compute` depends on these tables and on `key` alone; it is asked again when they have changed. */
export function onceASettlement<T>(projections: Database, key: string, compute: () => T): T {
  const changes = changesOf(projections, SETTLEMENTS_PROJECTION);
  let memo = memos.get(projections);
  if (memo === undefined || memo.changes !== changes || memo.values.size >= MOST) {
    memo = { changes, values: new Map() };
    memos.set(projections, memo);
  }
  if (!memo.values.has(key)) memo.values.set(key, compute());
  return memo.values.get(key) as T;
}

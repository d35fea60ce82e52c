/**
 * How a projection follows the events of the chain's file: forward from where it stands, back where the file was
 * rewound, and from the beginning where it was wiped. It never goes beyond the safe block of the view that is
 * published with it: a pass may have stored logs whose state was not read yet.
 */
import type { Database } from "better-sqlite3";
import type { ContractKind } from "../chain/chain-state.ts";
import { statement } from "../sqlite/statement.ts";
import type { StepBudget } from "./step-budget.ts";

/** One row per projection; `through_block` is the last block whose events it holds. */
export const CHAIN_PROGRESS_TABLE = `
CREATE TABLE chain_progress (
  projection TEXT PRIMARY KEY,
  history TEXT NOT NULL,
  through_block INTEGER NOT NULL,
  -- rises with every change of what was derived
  changes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

export interface StoredEvent {
  readonly contractKind: ContractKind;
  readonly contractAddress: string;
  readonly eventName: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** Epoch ms. */
  readonly blockTimestamp: number;
  readonly transactionHash: string;
  readonly transactionIndex: number;
  readonly logIndex: number;
  /** By name, as texts (docs/spec/chain.md#derived). */
  readonly arguments: Readonly<Record<string, string>>;
}

export interface Follower {
  /** Its row in `chain_progress`. */
  readonly projection: string;
  readonly events: readonly (readonly [kind: ContractKind, eventName: string])[];
  /** What its rows depend on besides the events: where this text is another, it begins again. */
  readonly basis?: string;
  /** Of one event that comes or goes, in microseconds. */
  readonly cost: number;
  add(projections: Database, event: StoredEvent): void;
  /** The block of the newest row but `rows`; undefined where there are no more rows than these. */
  blockBelow(projections: Database, rows: number): number | undefined;
  /** Returns how many rows went. */
  dropAbove(projections: Database, block: number): number;
}

/** The events of a chain's file up to a safe block, and who follows them. */
export interface ChainEvents {
  readonly projections: Database;
  readonly chain: Database;
  readonly safeBlock: bigint;
}

interface Progress {
  readonly history: string;
  readonly through_block: number;
  readonly changes: number;
}

/** Another number wherever a projection may say something else than before; 0 before its first advance. */
export function changesOf(projections: Database, projection: string): number {
  return readProgress(projections, projection)?.changes ?? 0;
}

/**
 * One step towards the state of the events up to and including `safeBlock`, whole blocks at a time; true while there is
 * more. One transaction; what all of it takes grows with the number of new events only.
 */
export function followEvents(follower: Follower, events: ChainEvents, budget: StepBudget): boolean {
  const { projections, chain, safeBlock } = events;
  const sync = statement<[], { history: string; stored_through_block: number | null }>(
    chain,
    "SELECT history, stored_through_block FROM sync",
  ).get();
  const history = `${sync?.history ?? ""} ${follower.basis ?? ""}`;
  const target = Math.min(sync?.stored_through_block ?? -1, Number(safeBlock));
  const before = readProgress(projections, follower.projection);
  if (before?.history === history && before.through_block === target) return false;
  // Of another history nothing is left before anything of this one comes.
  const kept = before?.history === history ? Math.min(before.through_block, target) : -1;
  const step = projections.transaction((): boolean => {
    let progress = before ?? { history, through_block: -1, changes: 0 };
    if (progress.through_block > kept) progress = drop(follower, events, { progress, kept }, budget);
    if (progress.through_block <= kept)
      progress = add(follower, events, { progress: { ...progress, history }, target }, budget);
    const sql = "INSERT OR REPLACE INTO chain_progress VALUES (?, ?, ?, ?)";
    statement(projections, sql).run(follower.projection, progress.history, progress.through_block, progress.changes);
    return progress.history !== history || progress.through_block !== target;
  });
  return step();
}

/** From the newest block down. */
function drop(
  follower: Follower,
  { projections }: ChainEvents,
  { progress, kept }: { readonly progress: Progress; readonly kept: number },
  budget: StepBudget,
): Progress {
  const below = follower.blockBelow(projections, budget.count(follower.cost));
  const through = below === undefined ? kept : Math.max(kept, below - 1);
  budget.spend(follower.cost * follower.dropAbove(projections, through));
  return { ...progress, through_block: through, changes: progress.changes + 1 };
}

function add(
  follower: Follower,
  { projections, chain }: ChainEvents,
  { progress, target }: { readonly progress: Progress; readonly target: number },
  budget: StepBudget,
): Progress {
  let { through_block: through, changes } = progress;
  for (const event of eventsBetween(chain, follower.events, progress.through_block, target)) {
    if (budget.isSpent && event.blockNumber > through) return { ...progress, through_block: through, changes };
    follower.add(projections, event);
    budget.spend(follower.cost);
    through = event.blockNumber;
    changes++;
  }
  return { ...progress, through_block: target, changes };
}

function readProgress(projections: Database, projection: string): Progress | undefined {
  const sql = "SELECT history, through_block, changes FROM chain_progress WHERE projection = ?";
  return statement<[string], Progress>(projections, sql).get(projection);
}

/** In the order of blocks and logs, above `after` and up to `through`. */
function* eventsBetween(
  chain: Database,
  kinds: Follower["events"],
  after: number,
  through: number,
): Generator<StoredEvent> {
  // Each kind by its index, merged as they are read: one condition for all would have all of them sorted first.
  const sql = `${kinds.map(() => EVENTS_OF_A_KIND).join(" UNION ALL ")} ORDER BY blockNumber, logIndex`;
  const values = kinds.flatMap((kind) => [...kind, after, through]);
  type Row = Omit<StoredEvent, "arguments"> & { readonly arguments: string };
  for (const row of statement<(number | string)[], Row>(chain, sql).iterate(...values)) {
    const named = JSON.parse(row.arguments) as { name: string; value: string }[];
    yield { ...row, arguments: Object.fromEntries(named.map(({ name, value }) => [name, value])) };
  }
}

const EVENTS_OF_A_KIND = `SELECT contract_kind AS contractKind, contract_address AS contractAddress,
    event_name AS eventName, block_number AS blockNumber, block_hash AS blockHash, block_timestamp AS blockTimestamp,
    transaction_hash AS transactionHash, transaction_index AS transactionIndex, log_index AS logIndex, arguments
  FROM event WHERE contract_kind = ? AND event_name = ? AND block_number > ? AND block_number <= ?`;

/** An argument that the ABI says is there. */
export function argument(event: StoredEvent, name: string): string {
  const value = event.arguments[name];
  if (value === undefined) throw new Error(`${event.eventName} in block ${event.blockNumber} has no ${name}`);
  return value;
}

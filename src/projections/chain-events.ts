/**
 * How a projection follows the events of the chain's file: forward from where it stands, back where the file was
 * rewound, and from the beginning where it was wiped. It never goes beyond the safe block of the view that is
 * published with it: a pass may have stored logs whose state was not read yet.
 */
import type { Database } from "better-sqlite3";
import type { ContractKind } from "../chain/chain-state.ts";
import { statement } from "../sqlite/statement.ts";

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
  add(projections: Database, event: StoredEvent): void;
  dropAbove(projections: Database, block: number): void;
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
 * Brings a projection to the state of the events up to and including `safeBlock`. One transaction; time grows with the
 * number of new events only.
 */
export function followEvents(follower: Follower, projections: Database, chain: Database, safeBlock: bigint): void {
  const sync = statement<[], { history: string; stored_through_block: number | null }>(
    chain,
    "SELECT history, stored_through_block FROM sync",
  ).get();
  const history = `${sync?.history ?? ""} ${follower.basis ?? ""}`;
  const target = Math.min(sync?.stored_through_block ?? -1, Number(safeBlock));
  const progress = readProgress(projections, follower.projection);
  const from = progress?.history === history ? Math.min(progress.through_block, target) : -1;
  if (progress?.history === history && progress.through_block === target) return;
  projections.transaction(() => {
    let changes = progress?.changes ?? 0;
    if (progress !== undefined && from < progress.through_block) {
      follower.dropAbove(projections, from);
      changes++;
    }
    for (const event of eventsBetween(chain, follower.events, from, target)) {
      follower.add(projections, event);
      changes++;
    }
    const sql = "INSERT OR REPLACE INTO chain_progress VALUES (?, ?, ?, ?)";
    statement(projections, sql).run(follower.projection, history, target, changes);
  })();
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
  const names = kinds.map(() => "(contract_kind = ? AND event_name = ?)").join(" OR ");
  const sql = `SELECT contract_kind AS contractKind, contract_address AS contractAddress, event_name AS eventName,
      block_number AS blockNumber, block_hash AS blockHash, block_timestamp AS blockTimestamp,
      transaction_hash AS transactionHash, transaction_index AS transactionIndex, log_index AS logIndex, arguments
    FROM event WHERE block_number > ? AND block_number <= ? AND (${names}) ORDER BY block_number, log_index`;
  type Row = Omit<StoredEvent, "arguments"> & { readonly arguments: string };
  for (const row of statement<(number | string)[], Row>(chain, sql).iterate(after, through, ...kinds.flat())) {
    const named = JSON.parse(row.arguments) as { name: string; value: string }[];
    yield { ...row, arguments: Object.fromEntries(named.map(({ name, value }) => [name, value])) };
  }
}

/** An argument that the ABI says is there. */
export function argument(event: StoredEvent, name: string): string {
  const value = event.arguments[name];
  if (value === undefined) throw new Error(`${event.eventName} in block ${event.blockNumber} has no ${name}`);
  return value;
}

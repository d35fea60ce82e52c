/** Follows the stored events of one name, so that a pass reads what is new and not the history. */
import type { Database } from "better-sqlite3";
import { statement } from "../../sqlite/statement.ts";
import type { ChainEvent, ContractKind } from "../chain-state.ts";
import { type EventRow, eventOfRow } from "./read-events.ts";

export class EventTail {
  readonly #kind: ContractKind;
  readonly #name: string;
  #block = -1n;
  #logIndex = -1;

  constructor(kind: ContractKind, name: string) {
    this.#kind = kind;
    this.#name = name;
  }

  /** What was stored since the last call, ascending; everything at the first. */
  next(db: Database): readonly ChainEvent[] {
    const events = statement<unknown[], EventRow>(
      db,
      `SELECT * FROM event WHERE contract_kind = ? AND event_name = ? AND (block_number, log_index) > (?, ?)
       ORDER BY block_number, log_index`,
    )
      .all(this.#kind, this.#name, this.#block, this.#logIndex)
      .map(eventOfRow);
    const last = events.at(-1);
    if (last !== undefined) {
      this.#block = last.blockNumber;
      this.#logIndex = last.logIndex;
    }
    return events;
  }

  reset(): void {
    this.#block = -1n;
    this.#logIndex = -1;
  }
}

/** Facts from the stored logs at the safe block, updated for each pass without reading the history again. */
import type { Database } from "better-sqlite3";
import type { ChainEvent } from "../chain-state.ts";
import {
  EventTail,
  integerArgument,
  newestEvents,
  newestFirst,
  newestOf,
  ONCHAIN_KINDS,
} from "../store/read-events.ts";
import type { LogFacts } from "./views.ts";

/** docs/spec/api.md#onchain */
const EVENTS_LIMIT = 25;

export class LogFactsReader {
  readonly #timelock = ["CallScheduled", "CallExecuted", "Cancelled"].map((name) => new EventTail("timelock", name));
  readonly #funded = new EventTail("mining", "RoundFunded");
  #operations: ChainEvent[] = [];
  #highestFunded: ChainEvent | undefined;

  /** The Core's newest event is undefined only if the logs are not whole. */
  read(db: Database): Omit<LogFacts, "source"> & { readonly source: ChainEvent | undefined } {
    const added = this.#timelock.flatMap((tail) => tail.next(db));
    if (added.length > 0) this.#operations = [...this.#operations, ...added].sort(newestFirst).toReversed();
    return {
      events: newestEvents(db, ONCHAIN_KINDS, EVENTS_LIMIT),
      source: newestEvents(db, ["core"], 1)[0],
      lastSettlement: newestOf(db, "core", "BatchSettled", 1)[0],
      timelock: this.#operations,
    };
  }

  /** The RoundFunded with the highest round. */
  highestFunded(db: Database): ChainEvent | undefined {
    for (const event of this.#funded.next(db)) {
      const highest = this.#highestFunded;
      if (highest === undefined || integerArgument(event, "round") > integerArgument(highest, "round"))
        this.#highestFunded = event;
    }
    return this.#highestFunded;
  }

  /** After anything but events at the end has changed in the file, or a transaction was undone. */
  reset(): void {
    for (const tail of [...this.#timelock, this.#funded]) tail.reset();
    this.#operations = [];
    this.#highestFunded = undefined;
  }
}

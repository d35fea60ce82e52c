/** A publisher of many installations with one receipt each. */

import { join } from "node:path";
import type { Database } from "better-sqlite3";
import type { Clock } from "../../../../publish/clock/clock.ts";
import { Known } from "../../../../publish/known.ts";
import type { Publisher } from "../../../../publish/publisher.ts";
import { LedgerSource } from "../../../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../../../publish/sources/projections-source.ts";
import { SourceReader } from "../../../../publish/sources/source-reader.ts";
import { noChain } from "../../../../src/chain/chain.ts";
import { openLedgerForIntake } from "../../../../src/ledger/open.ts";
import type { ObjectStore } from "../../../../src/object-store/object-store.ts";
import { raiseWatermark } from "../../../support/raise-watermark.ts";
import { benchPublisher } from "./bench-publisher.ts";

/** Epoch ms at which every receipt was received. */
export const RECEIVED = Date.parse("2026-11-20T10:00:00Z");

/** `wheel-1` to `wheel-N`, one receipt each. */
export function writeManyInstallations(path: string, installations: number): void {
  const ledger = openLedgerForIntake(path);
  ledger.pragma("synchronous = OFF");
  ledger.transaction(() => {
    for (let rowId = 1; rowId <= installations; rowId++) {
      ledger.prepare("INSERT INTO installation (no, id) VALUES (?, ?)").run(rowId, `wheel-${rowId}`);
      addReceipt(ledger, rowId, 1);
    }
  })();
  ledger.close();
}

/** Inserts the receipt at `position` of an installation, with the same rows as intake. */
export function addReceipt(ledger: Database, installation: number, position: number): void {
  const insert = `INSERT INTO receipt VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'hardware', '1.4.2', 'ACTIVE', 1, 2, ?)`;
  const telemetryId = uuid(installation * 100_000 + position);
  const times = [RECEIVED - 250, RECEIVED];
  ledger
    .prepare(insert)
    .run(installation, position, telemetryId, uuid(1), uuid(2), position, ...times, String(position), position);
  raiseWatermark(ledger, installation, "receipt", 1);
  ledger
    .prepare(
      "INSERT INTO counter_epoch VALUES (?, ?, 1, ?) ON CONFLICT DO UPDATE SET last_position = excluded.last_position",
    )
    .run(installation, uuid(2), position);
}

export interface ManyPublisher {
  readonly publisher: Publisher;
  /** Releases the lease and closes everything, like a clean shutdown. */
  stop(): Promise<void>;
}

export interface ManyOptions {
  /** The name of a state directory in the folder. */
  readonly state: string;
  readonly store: ObjectStore;
  /** By default a fixed clock, one second after the receipts. */
  readonly clock?: Clock;
}

const FIXED_CLOCK: Clock = { wall: () => RECEIVED + 1000, monotonic: () => 0 };

/** Opens the publisher over `ledger.db` in `folder`. */
export async function openMany(
  folder: string,
  { state, store, clock = FIXED_CLOCK }: ManyOptions,
): Promise<ManyPublisher> {
  const directory = join(folder, state);
  const known = Known.open(directory);
  const reader = new SourceReader({
    installationId: "wheel-1",
    ledger: new LedgerSource(join(folder, "ledger.db")),
    projections: ownProjections(directory, { whole: true }),
    chain: noChain(),
    genesisTimestamp: undefined,
  });
  const publisher = await benchPublisher({ store, clock, known, reader });
  return {
    publisher,
    stop: async () => {
      await publisher.release();
      reader.close();
      known.close();
    },
  };
}

/** A UUID that ends in the decimal digits of a number. */
function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

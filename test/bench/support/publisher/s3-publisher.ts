/** A publisher over a ledger and a real S3 server: in this process, or as a cold `publish --once`. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { systemClock } from "../../../../publish/clock/clock.ts";
import { Known } from "../../../../publish/known.ts";
import { LedgerSource } from "../../../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../../../publish/sources/projections-source.ts";
import { SourceReader } from "../../../../publish/sources/source-reader.ts";
import { noChain } from "../../../../src/chain/chain.ts";
import type { S3Server } from "../../../servers/radosgw.ts";
import { BUCKET, s3Store } from "../../../servers/stores/s3-store.ts";
import { raiseWatermark } from "../../../support/raise-watermark.ts";
import { LEDGER_GENESIS } from "../large-ledger.ts";
import { benchPublisher } from "./bench-publisher.ts";

export const PREFIX = "noonmark";
const PROGRAM = join(import.meta.dirname, "../../../../bin/noonmark.js");

export interface RunningPublisher {
  /** Runs one cycle at the current time and returns its milliseconds. */
  cycle(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * `folder` holds `ledger.db` and will hold the state. `stop` releases the lease, so the next publisher need not wait.
 */
export async function startPublisher(server: S3Server, folder: string): Promise<RunningPublisher> {
  const known = Known.open(join(folder, "state"));
  const store = s3Store(server, { prefix: PREFIX });
  await store.probe();
  const reader = new SourceReader({
    installationId: "wheel-1",
    ledger: new LedgerSource(join(folder, "ledger.db")),
    projections: ownProjections(join(folder, "state"), { whole: true }),
    chain: noChain(),
    genesisTimestamp: Number(LEDGER_GENESIS),
  });
  const publisher = await benchPublisher({ store, clock: systemClock, known, reader, statisticsInterval: 30_000 });
  return {
    async cycle() {
      const started = performance.now();
      await publisher.cycle(publisher.instant(systemClock.wall()));
      return performance.now() - started;
    },
    async stop() {
      await publisher.release();
      reader.close();
      known.close();
    },
  };
}

/** Runs the built command in a separate process and returns the milliseconds from start to exit. */
export function publishOnce(server: S3Server, folder: string): number {
  const settings = {
    ledger: join(folder, "ledger.db"),
    state: join(folder, "state"),
    store: `s3://${BUCKET}/${PREFIX}`,
    "s3-provider": "ceph",
    "s3-endpoint": server.endpoint,
    "installation-id": "wheel-1",
    "genesis-timestamp": String(LEDGER_GENESIS),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const env = {
    ...process.env,
    AWS_ACCESS_KEY_ID: server.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
  };
  const started = performance.now();
  execFileSync(process.execPath, [PROGRAM, "publish", "--once", ...flags], { env, cwd: folder });
  return performance.now() - started;
}

/** Adds one receipt, received now. */
export function appendReceipt(folder: string): void {
  const ledger: Database = new SqliteDatabase(join(folder, "ledger.db"));
  const now = Date.now();
  ledger.exec(`INSERT INTO receipt SELECT installation, position + 1,
      printf('00000000-0000-4000-9000-%012x', position + 1), boot_id, counter_epoch, sequence + 1, ${now - 250}, ${now},
      CAST(CAST(cumulative_work_units AS INTEGER) + 1 AS TEXT), provenance, software_version, core_status, rpm_milli,
      speed_mm_per_second, distance_mm
    FROM receipt WHERE installation = 1 ORDER BY position DESC LIMIT 1`);
  raiseWatermark(ledger, 1, "receipt", 1);
  ledger.close();
}

/** Made from the schema by test/client/bodies.test.ts: not by hand. */
import type { DecimalString, Timestamp } from "./values.ts";

export type PublicationStatus = {
  schemaVersion: 1;
  installationId: string;
  now: Timestamp;
  publisher: {
    state: "live" | "late" | "stopped";
    renewedAt: Timestamp;
    lastCycleAt: Timestamp | null;
    nextCycleAt: Timestamp | null;
  };
  answers: Record<string, { asOf: Timestamp; status: number; nextChangeAt: Timestamp | null }>;
  sources: {
    ledger: { status: "followed" | "none" | "unreadable" | "behind"; newestReceiptAt: Timestamp | null };
    chain: {
      status: "followed" | "disabled" | "silent" | "mismatch" | "behind";
      indexedThroughBlock: DecimalString | null;
      safeThroughBlock: DecimalString | null;
      lastGoodPassAt: Timestamp | null;
    };
  };
  explorer: string | null;
};

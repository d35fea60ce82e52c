/** Made from the schema by test/client/bodies.test.ts: not by hand. */
import type { DecimalString, Timestamp, UuidString } from "./values.ts";

export type Telemetry = {
  schemaVersion: 1;
  installationId: string;
  revision: string | null;
  status: "online" | "stale" | "offline";
  observedAt: Timestamp | null;
  receivedAt: Timestamp | null;
  softwareVersion: string | null;
  measurement: {
    counterEpoch: UuidString;
    cumulativeWorkUnits: DecimalString;
    provenance: "hardware" | "simulated" | "replay" | "derived";
    coreStatus: "IDLE" | "ACTIVE" | "COUNTER_FAULT";
  } | null;
};

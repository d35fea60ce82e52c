/** Made from the schema by test/client/bodies.test.ts: not by hand. */
import type { DecimalString, Timestamp, UuidString } from "./values.ts";

export type Observations = {
  schemaVersion: 1;
  installationId: string;
  items: {
    cursor: string;
    telemetryId: UuidString;
    bootId: UuidString;
    counterEpoch: UuidString;
    installationId: string;
    sequence: number;
    observedAt: Timestamp;
    receivedAt: Timestamp;
    cumulativeWorkUnits: DecimalString;
    provenance: "hardware" | "simulated" | "replay" | "derived";
    softwareVersion: string;
  }[];
  nextCursor: string | null;
};

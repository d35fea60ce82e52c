/** Made from the schema by test/client/bodies.test.ts: not by hand. */
import type { Timestamp } from "./values.ts";

export type Modules = {
  schemaVersion: 1;
  installationId: string;
  modules: {
    instanceId: string;
    moduleType: string;
    driverId: string;
    moduleVersion: string;
    schemaVersion: number;
    state: "disabled" | "starting" | "ready" | "degraded" | "faulted" | "stopped";
    observedAt: Timestamp;
    provenance: "hardware" | "simulated" | "replay" | "derived";
    health: { checkedAt: Timestamp; message?: string | null; code?: string | null };
    data: Record<string, unknown>;
  }[];
};

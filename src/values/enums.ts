/**
 * The enumerations of docs/spec/api.md#values that intake and the resources share. Within the first two each word has an initial of
 * its own, because the hash of a receipt has only that (src/ledger/intake/accept/fact-hash.ts).
 */

export const PROVENANCES = ["hardware", "simulated", "replay", "derived"] as const;
export const CORE_STATUSES = ["IDLE", "ACTIVE", "COUNTER_FAULT"] as const;
export const MODULE_STATES = ["disabled", "starting", "ready", "degraded", "faulted", "stopped"] as const;

/**
 * The enumerations of docs/spec/api.md#values that intake and the resources share. Within each of the first two, all
 * words have different initials, because a receipt's hash uses only the initial
 * (src/ledger/intake/accept/fact-hash.ts).
 */

export const PROVENANCES = ["hardware", "simulated", "replay", "derived"] as const;
export const CORE_STATUSES = ["IDLE", "ACTIVE", "COUNTER_FAULT"] as const;
export const MODULE_STATES = ["disabled", "starting", "ready", "degraded", "faulted", "stopped"] as const;

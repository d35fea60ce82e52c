/** The enumerations of docs/spec/api.md#values that intake and the resources share. */

export const PROVENANCES = ["hardware", "simulated", "replay", "derived"] as const;
export const CORE_STATUSES = ["IDLE", "ACTIVE", "COUNTER_FAULT"] as const;
export const MODULE_STATES = ["disabled", "starting", "ready", "degraded", "faulted", "stopped"] as const;

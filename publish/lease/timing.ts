/** How long a lease lasts, and what may be begun under it. */

export { PUT_LIMIT_MS } from "../../src/object-store/object-store.ts";

/** Renewed every 10 s; every 4 s, with a shorter life, while a standby waits. */
export const CALM = { ttlMs: 30_000, renewMs: 10_000 } as const;
export const WATCHED = { ttlMs: 12_000, renewMs: 4_000 } as const;

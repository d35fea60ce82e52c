import { hostname } from "node:os";
import type { Clock } from "../clock/clock.ts";
import type { LeaseIdentity } from "../lease/lease.ts";
import { openingRecord, type PublishedSite } from "../site/public-record.ts";
import type { SourceReader } from "../sources/source-reader.ts";

/** Of what is published, what the first lease says. */
export interface Publishes {
  readonly reader: SourceReader;
  readonly clock: Clock;
  /** Undefined with the site turned off. */
  readonly site?: PublishedSite | undefined;
}

/**
 * A new identity for each process: epochs and tokens are never used twice. Given what it publishes, its first lease says
 * so, and `/status.json` answers from then on.
 */
export function leaseIdentity(publishes?: Publishes): LeaseIdentity {
  const identity = { holder: crypto.randomUUID(), holderName: `${hostname()} process ${process.pid}` };
  if (publishes === undefined) return identity;
  const { reader, site, clock } = publishes;
  return {
    ...identity,
    opening: (before) => (site === undefined ? null : openingRecord(reader.begin(clock.wall()), site)(before)),
  };
}

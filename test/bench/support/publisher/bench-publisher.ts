import { hintOf } from "../../../../bin/cli/hints.ts";
import { type Clock, WatchedClock } from "../../../../publish/clock/clock.ts";
import type { Known } from "../../../../publish/known.ts";
import { acquireNow } from "../../../../publish/lease/take.ts";
import { Publisher } from "../../../../publish/publisher.ts";
import type { SourceReader } from "../../../../publish/sources/source-reader.ts";
import { leaseIdentity } from "../../../../publish/status/public-status.ts";
import type { ObjectStore } from "../../../../src/object-store/object-store.ts";
import { allPublications } from "../../../../src/resources/publications.ts";

export interface BenchPublisher {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly known: Known;
  readonly reader: SourceReader;
  /** Milliseconds; by default so long that statistics are not rebuilt. */
  readonly statisticsInterval?: number;
}

/** Starts a publisher for wheel-1 without a minimum put interval, as on a filesystem. */
export async function benchPublisher(subject: BenchPublisher): Promise<Publisher> {
  const { store, clock, known, reader, statisticsInterval = 1e9 } = subject;
  const lease = await acquireNow({ store, clock: new WatchedClock(clock), identity: leaseIdentity(), known });
  return Publisher.begin(
    {
      store,
      clock,
      known,
      reader,
      publications: allPublications({ installationId: "wheel-1", statisticsInterval }),
      concurrency: 16,
      newLog: undefined,
      force: false,
      program: "1.0.0",
      hintOf,
      minimumPutInterval: 0,
      signers: [],
      scrubInterval: 0,
    },
    lease,
  );
}

/**
 * A publisher over real files. As a script it kills itself with SIGKILL before the nth store request:
 * `node mortal-publisher.mjs FOLDER N INSTANT`.
 */
import { join } from "node:path";
import { hintOf } from "../../bin/cli/hints.ts";
import { systemClock, WatchedClock } from "../../publish/clock/clock.ts";
import { Known } from "../../publish/known.ts";
import { acquireNow } from "../../publish/lease/take.ts";
import { Publisher } from "../../publish/publisher.ts";
import { LedgerSource } from "../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../publish/sources/projections-source.ts";
import { SourceReader } from "../../publish/sources/source-reader.ts";
import { leaseIdentity } from "../../publish/status/public-status.ts";
import { noChain } from "../../src/chain/chain.ts";
import { FilesystemStore } from "../../src/object-store/filesystem/filesystem-store.ts";
import { allPublications } from "../../src/resources/publications.ts";
import { type Step, steppedStore } from "../support/stepped-store.ts";

/** Runs one cycle at `instant`, in epoch ms. Each store request passes through `step`. */
export async function publishOnce(folder: string, instant: number, step: Step): Promise<void> {
  const store = steppedStore(new FilesystemStore(join(folder, "public"), { write: true }), step);
  const state = join(folder, "state");
  const known = Known.open(state);
  const reader = new SourceReader({
    installationId: "wheel-1",
    ledger: new LedgerSource(join(folder, "ledger.db")),
    projections: ownProjections(state, { whole: true }),
    chain: noChain(),
    genesisTimestamp: undefined,
  });
  const lease = await acquireNow({ store, clock: new WatchedClock(systemClock), identity: leaseIdentity(), known });
  const publisher = await Publisher.begin(
    {
      store,
      clock: systemClock,
      reader,
      known,
      publications: allPublications({ installationId: "wheel-1", statisticsInterval: 30_000 }).filter(
        ({ resource }) => !resource.startsWith("settlements") && resource !== "activity",
      ),
      concurrency: 1,
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
  await publisher.cycle(instant);
  await publisher.release();
  reader.close();
  known.close();
}

if (import.meta.main) {
  const [folder = "", calls = "", instant = ""] = process.argv.slice(2);
  let left = Number(calls);
  await publishOnce(folder, Number(instant), (call) => {
    if (left-- === 0) process.kill(process.pid, "SIGKILL");
    return call();
  });
}

/**
 * A publisher over real files. As a script it kills itself with SIGKILL before the nth store request:
 * `node mortal-publisher.mjs FOLDER N INSTANT`.
 */
import { join } from "node:path";
import { systemClock, WatchedClock } from "../../publish/clock/clock.ts";
import { takeForOneRun } from "../../publish/head/take.ts";
import { Publisher } from "../../publish/publisher.ts";
import { LedgerSource } from "../../publish/sources/ledger-source.ts";
import { ownProjections } from "../../publish/sources/projections-source.ts";
import { SourceReader } from "../../publish/sources/source-reader.ts";
import { StateDirectory } from "../../publish/state-directory.ts";
import { noChain } from "../../src/chain/chain.ts";
import { FilesystemStore } from "../../src/object-store/filesystem/filesystem-store.ts";
import { allPublications } from "../../src/resources/publications.ts";
import { type Step, steppedStore } from "../support/stepped-store.ts";

/** Runs one cycle at `instant`, in epoch ms. Each store request passes through `step`. */
export async function publishOnce(folder: string, instant: number, step: Step): Promise<void> {
  const store = steppedStore(new FilesystemStore(join(folder, "public"), { write: true }), step);
  const path = join(folder, "state");
  const state = StateDirectory.open(path);
  const clock = new WatchedClock(systemClock);
  const reader = new SourceReader({
    installationId: "wheel-1",
    ledger: new LedgerSource(join(folder, "ledger.db")),
    projections: ownProjections(path, { whole: true }),
    chain: noChain(),
    genesisTimestamp: undefined,
  });
  const program = "1.0.0";
  const held = await takeForOneRun(
    { store, clock, state, holder: crypto.randomUUID(), installationId: "wheel-1", signers: [], program, opens: {} },
    async () => {
      throw new Error("the head is not free");
    },
  );
  const publisher = new Publisher(
    {
      store,
      clock,
      reader,
      state,
      publications: allPublications({ installationId: "wheel-1", statisticsInterval: 30_000 }).filter(
        ({ resource }) => !resource.startsWith("settlements") && resource !== "activity",
      ),
      concurrency: 1,
      force: false,
      program,
      minimumPutInterval: 0,
      swapInterval: 0,
      signers: [],
      chainValidity: 600_000,
    },
    held,
  );
  await publisher.cycle(instant);
  await publisher.release();
  reader.close();
  state.close();
}

if (import.meta.main) {
  const [folder = "", calls = "", instant = ""] = process.argv.slice(2);
  let left = Number(calls);
  await publishOnce(folder, Number(instant), (call) => {
    if (left-- === 0) process.kill(process.pid, "SIGKILL");
    return call();
  });
}

/** A ledger that grows, publishers of it over one bucket folder, and one reader of one cache in front. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readLease, STANDBY_PACE } from "../../../publish/lease/lease-record.ts";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import type { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { receive, START } from "../../publish/world.ts";
import { stop, until } from "../../support/processes.ts";
import { type Running, startOver } from "../commands.ts";
import type { Front } from "../front.ts";
import type { S3Server } from "../radosgw.ts";
import { s3Store } from "../stores/s3-store.ts";
import type { Origins } from "./over-proxies.ts";
import { originsOver } from "./published-world.ts";
import { startReader } from "./reader.ts";

const INSTALLATION = "wheel-1";

export interface TakeoverScene {
  /** Past every proxy. */
  readonly store: S3Store;
  /** Starts a publisher and waits until it publishes or, as `standby`, until the holder knows of it. */
  active(endpoint?: string): Promise<Running>;
  standby(endpoint?: string): Promise<Running>;
  /** One receipt more; gives its position. */
  receive(): number;
  /** The lease has gone to the next epoch. */
  takenOver(): Promise<void>;
  /** The reader has been given this receipt on every route. */
  readerSees(position: number): Promise<void>;
  /** The reader's complaints. */
  complaints(): readonly string[];
  end(): Promise<void>;
}

/** The bucket must be readable by anybody. */
export async function openScene(
  server: S3Server,
  startFront: (origins: Origins) => Promise<Front>,
): Promise<TakeoverScene> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-takeover-"));
  const store = s3Store(server);
  const ledger = openLedgerForIntake(join(folder, "ledger.db"));
  receive(ledger, 1, { rowId: 1, id: INSTALLATION });
  let position = 1;
  const world = await originsOver(server, store);
  const front = await startFront(world.origins);
  const publishers: Running[] = [];
  const record = async () => (await readLease(store))?.record;
  const publish = (name: string, endpoint: string) => {
    const sources = ["--installation-id", INSTALLATION, "--ledger", join(folder, "ledger.db")];
    const publisher = startOver(store, endpoint, folder, ["publish", ...sources, "--state", join(folder, name)]);
    publishers.push(publisher);
    return publisher;
  };
  // The index of installations, on which these hang, is put last.
  const observations = `http://${front.hostname}:${front.port}/v1/public/installations/${INSTALLATION}/observations`;
  let reader: ReturnType<typeof startReader> | undefined;
  return {
    store,
    async active(endpoint = server.endpoint) {
      const publisher = publish("active", endpoint);
      await until("the first cycle is done", async () => (await fetch(observations)).ok);
      reader = startReader(front);
      return publisher;
    },
    async standby(endpoint = server.endpoint) {
      const publisher = publish("standby", endpoint);
      await until("the holder knows of its standby", async () => (await record())?.ttlMs === STANDBY_PACE.ttlMs);
      return publisher;
    },
    receive() {
      receive(ledger, 1, { rowId: 1, id: INSTALLATION });
      return ++position;
    },
    takenOver: () => until("the lease is taken over", async () => (await record())?.epoch === 2),
    readerSees: (wanted) =>
      until(`receipt ${wanted} is read`, async () => {
        const at = START + wanted * 3000;
        return (reader?.newest() ?? []).every((seen) => seen === at || seen === wanted);
      }).catch((error: unknown) => {
        const said = publishers.map(({ output }) => output().slice(-2_000)).join("\n");
        throw new Error(`${reader?.newest().join(" ")}\n${reader?.complaints.join("\n")}\n${said}`, { cause: error });
      }),
    complaints: () => reader?.complaints ?? ["there was no reader"],
    async end() {
      await reader?.stop();
      for (const { process } of publishers) await stop(process);
      await front.stop();
      await world.stop();
      ledger.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

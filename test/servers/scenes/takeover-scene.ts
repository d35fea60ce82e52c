/**
 * A growing ledger, publishers of it over one bucket folder, and one reader through one cache. The reader polls
 * continuously and records each response that is older than an earlier one.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readHead } from "../../../publish/head/head.ts";
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

const INSTALLATION = "wheel-1";

export interface TakeoverScene {
  /** Bypasses every proxy. */
  readonly store: S3Store;
  /** Starts a publisher and waits until it publishes or, as `standby`, until it waits for the lease. */
  active(endpoint?: string): Promise<Running>;
  standby(endpoint?: string): Promise<Running>;
  /** Adds one receipt and returns its position. */
  receive(): number;
  /** Resolves when the lease has the next epoch. */
  takenOver(): Promise<void>;
  /** Resolves when the reader has got this receipt on every route. */
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
  const epoch = async () => (await readHead(store))?.head?.lease.epoch ?? 0;
  let taken = 0;
  const publish = (name: string, endpoint: string) => {
    const sources = ["--installation-id", INSTALLATION, "--ledger", join(folder, "ledger.db")];
    const publisher = startOver(store, endpoint, folder, ["publish", ...sources, "--state", join(folder, name)]);
    publishers.push(publisher);
    return publisher;
  };
  const isOk = async (path: string) => (await fetch(`http://${front.hostname}:${front.port}${path}`)).ok;
  let reader: ReturnType<typeof startReader> | undefined;
  return {
    store,
    async active(endpoint = server.endpoint) {
      const publisher = publish("active", endpoint);
      await until("the first cycle is done", async () =>
        (await Promise.all(Object.keys(PLACES).map(isOk))).every(Boolean),
      );
      reader = startReader(front);
      return publisher;
    },
    async standby(endpoint = server.endpoint) {
      const publisher = publish("standby", endpoint);
      await until("the standby waits", async () => publisher.output().includes("standby: another publisher"));
      taken = await epoch();
      return publisher;
    },
    receive() {
      receive(ledger, 1, { rowId: 1, id: INSTALLATION });
      return ++position;
    },
    takenOver: () => until("the lease is taken over", async () => (await epoch()) > taken),
    readerSees: (wanted) =>
      until(`receipt ${wanted} is read`, async () => {
        const at = START + wanted * 3000;
        return (reader?.newest() ?? []).every((seen) => seen === at || seen === wanted);
      }).catch((error: unknown) => {
        const outputs = publishers.map(({ output }) => output().slice(-2_000)).join("\n");
        throw new Error(`${reader?.newest().join(" ")}\n${reader?.complaints.join("\n")}\n${outputs}`, {
          cause: error,
        });
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

interface Receipt {
  readonly receivedAt: string | null;
}

/** A number from a response that must never fall. */
const PLACES: Readonly<Record<string, (body: unknown) => number>> = {
  "/v1/public/telemetry": (body) => instantOf(body as Receipt),
  "/v1/public/installations/wheel-1/telemetry": (body) => instantOf(body as Receipt),
  "/v4/public/process": (body) => instantOf((body as { measurement: Receipt }).measurement),
  "/v1/public/installations/wheel-1/observations?limit=100": (body) => (body as { items: unknown[] }).items.length,
};

const MAX_COMPLAINTS = 3;
/** A short pause for other processes, much shorter than any edge second. */
const POLL_MS = 25;

interface Reader {
  /** Responses that were older than an earlier one, or missing. */
  readonly complaints: readonly string[];
  /** The newest value from each source, in the order of the sources. */
  newest(): readonly number[];
  stop(): Promise<void>;
}

function startReader({ hostname, port }: Front): Reader {
  const complaints: string[] = [];
  const newest = new Map(Object.keys(PLACES).map((place) => [place, Number.NEGATIVE_INFINITY]));
  const stop = new AbortController();
  const read = async () => {
    while (!stop.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      for (const [place, measure] of Object.entries(PLACES)) {
        const response = await fetch(`http://${hostname}:${port}${place}`);
        const text = await response.text();
        const before = newest.get(place) ?? Number.NEGATIVE_INFINITY;
        const seen = response.status === 200 ? measure(JSON.parse(text)) : Number.NaN;
        if (seen >= before) newest.set(place, seen);
        else if (complaints.length < MAX_COMPLAINTS)
          complaints.push(`${place}: ${response.status} ${text} after ${before}`);
      }
    }
  };
  const ended = read().catch((error: unknown) => void complaints.push(String(error)));
  return {
    complaints,
    newest: () => [...newest.values()],
    async stop() {
      stop.abort();
      await ended;
    },
  };
}

/** Epoch ms; -1 if there is no receipt yet. */
function instantOf({ receivedAt }: Receipt): number {
  return receivedAt === null ? -1 : Date.parse(receivedAt);
}

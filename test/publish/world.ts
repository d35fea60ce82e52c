/** A publisher's environment for tests: a ledger on disk, a strict in-memory store, and a clock that the test sets. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { hintOf } from "../../bin/cli/hints.ts";
import { WatchedClock } from "../../publish/clock/clock.ts";
import { Known } from "../../publish/known.ts";
import type { Lease } from "../../publish/lease/lease.ts";
import { acquireForOneRun, type Candidate } from "../../publish/lease/take.ts";
import { checkOwner } from "../../publish/prefix-owner.ts";
import { Publisher } from "../../publish/publisher.ts";
import type { CycleReport } from "../../publish/report.ts";
import { LedgerSource } from "../../publish/sources/ledger-source.ts";
import { ownProjections, type ProjectionsSource } from "../../publish/sources/projections-source.ts";
import { SourceReader } from "../../publish/sources/source-reader.ts";
import { StandbySources } from "../../publish/standby-sources.ts";
import { leaseIdentity } from "../../publish/status/public-status.ts";
import { type Chain, noChain } from "../../src/chain/chain.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import type { Installation } from "../../src/ledger/watermarks.ts";
import { parseSigner, type Signer } from "../../src/log/signer.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import type { Publication } from "../../src/resources/publication.ts";
import { allPublications } from "../../src/resources/publications.ts";
import type { Site } from "../../src/resources/site/site-files.ts";
import { shimContext } from "../../src/shim/context.ts";
import { respond, type ShimResponse } from "../../src/shim/respond.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { raiseWatermark } from "../support/raise-watermark.ts";

export const START = Date.parse("2026-11-20T10:00:00.000Z");
export const INSTALLATION = "wheel-1";
export const [SIGNER, NEXT_SIGNER] = [
  "PRIVATE+KEY+wheel.example.org+e882eaef+ARVg3G+/t7NRlTQHDQJzyDNxWEs9H7ClmkZcoQnfHn+q",
  "PRIVATE+KEY+wheel.example.org+add319f2+AVBzXYLw0+I4eGBzBV4mpuqblcrsPuLfLSSRBB31OLRq",
].map(parseSigner) as [Signer, Signer];

export interface Worker {
  readonly publisher: Publisher;
  readonly known: Known;
  cycle(at: number): Promise<CycleReport>;
  /** Ends it like a clean shutdown. */
  stop(): Promise<void>;
  /** Ends it like SIGKILL: the kernel releases its locks, and nothing else happens. */
  kill(): void;
}

/** A process with its state directory and sources, before it has the lease. */
export interface Opened {
  readonly candidate: Candidate;
  /** Its sources while it waits. */
  readonly standby: StandbySources;
  begin(lease: Lease): Promise<Worker>;
  close(): void;
}

export interface WorkOptions {
  readonly store?: ObjectStore;
  /** Name of the state directory. Use another name for a publisher that has lost its state. */
  readonly state?: string;
  /** Closed with the worker. */
  readonly chain?: Chain;
  readonly newLog?: number | undefined;
  /** The keys of a public log. */
  readonly signers?: readonly Signer[];
  /** By default those of the state directory, advanced to their end in each cycle. Closed with the worker. */
  readonly projections?: ProjectionsSource;
  /** The configured installation. */
  readonly installationId?: string;
  /** Overrides the world's store. */
  readonly ledgerPath?: string;
  /** The program's version. */
  readonly program?: string;
  readonly force?: boolean;
  readonly minimumPutInterval?: number;
  /** Seconds; not configured if absent. */
  readonly genesisTimestamp?: number;
  /** Milliseconds; no checks if absent. */
  readonly scrubInterval?: number;
  /** Disabled if absent. */
  readonly site?: Site;
  /** Replaces the publications. */
  readonly publications?: (all: Publication[]) => Publication[];
  /** By default the world's. */
  readonly clock?: WatchedClock;
}

export class World {
  readonly folder = mkdtempSync(join(tmpdir(), "noonmark-publish-"));
  readonly store = new MemoryStore();
  readonly ledger: Database;
  /** Both epoch ms and monotonic ms. */
  now = START;
  /** Called when a worker's files are closed. */
  readonly #open = new Set<() => void>();
  readonly clock = new WatchedClock({ wall: () => this.now, monotonic: () => this.now });

  constructor() {
    this.ledger = openLedgerForIntake(this.ledgerPath);
  }

  get ledgerPath(): string {
    return join(this.folder, "ledger.db");
  }

  /** Adds `count` receipts 3 s apart, received at START + position · 3 s. */
  receive(count: number, installation = 1, id = INSTALLATION): void {
    receive(this.ledger, count, { rowId: installation, id });
  }

  async work(options: WorkOptions = {}): Promise<Worker> {
    const opened = this.open(options);
    try {
      return await opened.begin(await acquireForOneRun(opened.candidate, async (ms) => void (this.now += ms)));
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  open(options: WorkOptions = {}): Opened {
    const {
      installationId = INSTALLATION,
      store = this.store,
      state = "state",
      newLog,
      signers = [],
      force = false,
      minimumPutInterval = 0,
      scrubInterval = 0,
      ledgerPath = this.ledgerPath,
      program = "1.0.0",
      clock = this.clock,
    } = options;
    const known = Known.open(join(this.folder, state));
    const reader = new SourceReader({
      installationId,
      ledger: new LedgerSource(ledgerPath),
      projections: options.projections ?? ownProjections(join(this.folder, state), { whole: true }),
      chain: options.chain ?? noChain(),
      genesisTimestamp: options.genesisTimestamp,
    });
    const close = () => {
      this.#open.delete(close);
      reader.close();
      known.close();
    };
    this.#open.add(close);
    const site = options.site && { chainValidity: 600_000 };
    const identity = { ...leaseIdentity({ reader, site }), holderName: "test" };
    const all = allPublications({ installationId, statisticsInterval: 30_000, site: options.site });
    const publications = options.publications?.(all) ?? all;
    const begin = async (lease: Lease): Promise<Worker> => {
      const publisher = await Publisher.begin(
        {
          store,
          clock,
          reader,
          known,
          publications,
          site,
          concurrency: 4,
          newLog,
          signers,
          force,
          program,
          hintOf,
          minimumPutInterval,
          scrubInterval,
        },
        lease,
      );
      return {
        publisher,
        known,
        cycle: async (at) => {
          this.now = Math.max(this.now, at);
          return publisher.cycle(at);
        },
        stop: async () => {
          await publisher.release();
          close();
        },
        kill: close,
      };
    };
    const standby = new StandbySources({ store, clock, reader, publications, concurrency: 4, hintOf });
    const check = () =>
      checkOwner({ store, reader, publications, concurrency: 4, signers, mayPublishLog: true, newLog });
    return {
      candidate: {
        store,
        clock,
        identity,
        known,
        check,
        ledger: () => standby.report(),
      },
      standby,
      begin,
      close,
    };
  }

  /** The response that a reader gets at an instant. */
  async read(url: string, at = this.now): Promise<ShimResponse> {
    return respond({ method: "GET", url }, shimContext({ store: this.store, now: () => at, monotonic: () => at }));
  }

  async body(url: string, at = this.now): Promise<string> {
    return new TextDecoder().decode((await this.read(url, at)).body);
  }

  /** Kills the workers that are still running. */
  end(): void {
    for (const close of this.#open) close();
    this.ledger.close();
    rmSync(this.folder, { recursive: true });
  }
}

/** The next receipts, received at `start` + position · 3 s. */
export function receive(
  ledger: Database,
  count: number,
  { rowId: installation, id }: Installation,
  start = START,
): void {
  ledger.transaction(() => {
    ledger.prepare("INSERT OR IGNORE INTO installation (no, id) VALUES (?, ?)").run(installation, id);
    const last = ledger
      .prepare("SELECT coalesce(max(position), 0) FROM receipt WHERE installation = ?")
      .pluck()
      .get(installation) as number;
    const insert = ledger.prepare(
      `INSERT INTO receipt VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'hardware', '1.4.2', 'ACTIVE', 1, 2, ?)`,
    );
    for (let position = last + 1; position <= last + count; position++) {
      const received = start + position * 3000;
      const telemetryId = uuid(installation * 1_000_000 + position);
      insert.run(
        installation,
        position,
        telemetryId,
        uuid(1),
        uuid(2),
        position,
        received - 250,
        received,
        String(position),
        position,
      );
    }
    raiseWatermark(ledger, installation, "receipt", count);
    const epoch = `INSERT INTO counter_epoch VALUES (?, ?, 1, ?) ON CONFLICT DO UPDATE SET last_position = excluded.last_position`;
    ledger.prepare(epoch).run(installation, uuid(2), last + count);
  })();
}

export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/**
 * What is due, when, and why (docs/spec/publishing.md#the-cycle). A response is planned again if its inputs have changed or its
 * instant has come, but not before its minimum interval is over. An installation is planned if it has new facts, or if one of
 * its objects is due. This state is only in memory: a new process begins with the checkpoint in the lease object (`checkpoint.ts`).
 */
import { changedSince, type LogPoint } from "../src/ledger/log.ts";
import { type Installation, installationRowId, listInstallations, readInstallation } from "../src/ledger/watermarks.ts";
import { observationsKey, parseObservationsKey } from "../src/resources/observations/route.ts";
import type { Publication } from "../src/resources/publication.ts";
import { parseInstallationTelemetryKey } from "../src/resources/telemetry/route.ts";
import type { ReadOnlyDatabase } from "../src/sqlite/statement.ts";
import type { Failure } from "../src/values/failure.ts";
import type { ReportRow } from "./report.ts";

/** The inputs of a response, as texts that change with them. */
export interface Inputs {
  readonly inputs: string;
  readonly throttledInputs: string;
}

export interface Build extends Inputs {
  /** Epoch ms; 0 for a placeholder, so that the next change need not wait. */
  readonly at: number;
}

/**
 * - `time`: it changes by time alone.
 * - `change`: it has changed, and waits for its minimum interval.
 * - `failure`: it could not be built or put.
 * - `doubt`: the stored object may be another one.
 */
type Why = "time" | "change" | "failure" | "doubt";

interface Item {
  /** The last build; undefined if the next plan builds it in any case. */
  readonly build?: Build | undefined;
  /** Epoch ms; undefined if only other inputs make it due. */
  readonly at?: number | undefined;
  readonly why: Why;
}

/** Why sources are refused: they would take back something that was published of an installation. */
export interface RefusedSources {
  readonly ledger?: Failure | undefined;
  readonly chain?: Failure | undefined;
}

/** The installations that a cycle plans. */
export interface DirtyInstallations {
  /** The log's size and root when they were found. */
  readonly point: LogPoint;
  readonly installations: readonly Installation[];
}

/** A failed response is tried again after this time (ms), or as soon as an input changes. */
const AFTER_FAILURE_MS = 30_000;
/** After a cycle with a failure the next one runs after this time (ms), and puts failed tiles again. */
export const RETRY_AFTER_MS = 5_000;

export class Due {
  /** Between two puts of one key (ms); 0 if puts cost nothing. */
  readonly minimumPutInterval: number;
  /** By key. The tiles of an installation have one item, under `observationsKey`. */
  readonly #items = new Map<string, Item>();
  /** What failed last, by the key of its item, until it is put or no longer needed. */
  readonly #failures = new Map<string, ReportRow>();
  /** The earliest instant of an item (epoch ms), Infinity without one; undefined if it must be looked up. */
  #next: number | undefined;
  #point: LogPoint | undefined;
  /** Sources that are behind what was published: installation id → why. They are reported in each cycle, due or not. */
  readonly refused = new Map<string, RefusedSources>();

  /** `point`: the size and root of the log up to which every installation was planned; undefined: none was. */
  constructor(minimumPutInterval: number, point?: LogPoint) {
    this.minimumPutInterval = minimumPutInterval;
    this.#point = point;
  }

  /** The size and root of the log up to which every installation was planned; undefined if the next cycle plans all of them. */
  get point(): LogPoint | undefined {
    return this.#point;
  }

  /** The next instant (epoch ms) at which something is due. */
  next(): number | undefined {
    if (this.#next === undefined) {
      this.#next = Number.POSITIVE_INFINITY;
      for (const { at = Number.POSITIVE_INFINITY } of this.#items.values()) this.#next = Math.min(this.#next, at);
    }
    return this.#next === Number.POSITIVE_INFINITY ? undefined : this.#next;
  }

  /** The installations with new facts, and those of which something is due at `at` (epoch ms), each once. */
  dirty(ledger: ReadOnlyDatabase, at: number): DirtyInstallations {
    const { now: point, installations: changed } = changedSince(ledger, this.#point);
    if (changed === undefined) return { point, installations: listInstallations(ledger) };
    const ids = new Map<number, string>();
    for (const rowId of changed) {
      const installation = readInstallation(ledger, rowId);
      if (installation !== undefined) ids.set(rowId, installation.id);
    }
    for (const [key] of this.#dueAt(at)) {
      const id = installationOf(key);
      const rowId = id === undefined ? undefined : installationRowId(ledger, id);
      if (id !== undefined && rowId !== undefined) ids.set(rowId, id);
    }
    return { point, installations: [...ids].map(([rowId, id]) => ({ rowId, id })) };
  }

  /** Records that every installation was planned up to this point of the log. */
  planned(point: LogPoint | undefined): void {
    this.#point = point;
  }

  /**
   * The instant (epoch ms) from which a response may be built: at most `at` if it is due, later if it has changed and must
   * wait. Returns undefined if nothing has changed. `putAt`: its last put (epoch ms).
   */
  buildableAt(publication: Publication, now: Inputs, at: number, putAt: number): number | undefined {
    const { key, timing: { minimumInterval = 0, throttledInterval = 0 } = {} } = publication;
    const { build, at: dueAt } = this.#items.get(key) ?? {};
    if (build === undefined || (dueAt !== undefined && dueAt <= at)) return at;
    const interval = this.minimumPutInterval;
    if (now.inputs !== build.inputs) return Math.max(build.at + minimumInterval, putAt + interval);
    if (now.throttledInputs === build.throttledInputs) return undefined;
    return build.at + (interval === 0 ? 0 : throttledInterval);
  }

  /** The instant (epoch ms) from which the tiles of an installation may be put. */
  tilesAt(installationId: string): number {
    const { build } = this.#items.get(observationsKey(installationId)) ?? {};
    return build === undefined ? 0 : build.at + this.minimumPutInterval;
  }

  /** `dueAt`: built again then (epoch ms), although no input has changed. */
  built(key: string, build: Build, dueAt: number | undefined): void {
    this.#failures.delete(key);
    this.#set(key, { build, at: dueAt, why: "time" });
  }

  /** Records that an object has changed and may be put from `until` on (epoch ms). */
  wait(key: string, until: number): void {
    const { build, at } = this.#items.get(key) ?? {};
    this.#set(key, { build, at: earlier(at, until), why: "change" });
  }

  /** Records that an object does not become due by itself. */
  rest(key: string): void {
    const { build } = this.#items.get(key) ?? {};
    this.#failures.delete(key);
    this.#set(key, build && { build, why: "time" });
  }

  /** `failure` is undefined if only the sources are refused. */
  failed(key: string, inputs: Inputs, at: number, failure: ReportRow | undefined): void {
    this.#set(key, { build: { ...inputs, at }, at: at + AFTER_FAILURE_MS, why: "failure" });
    if (failure !== undefined) this.#failures.set(key, failure);
  }

  /** The objects that failed and have not succeeded since, also if this cycle did not try them again. */
  failures(): Iterable<ReportRow> {
    return this.#failures.values();
  }

  /** Records that the tiles of an installation were put (epoch ms). */
  tilesPut(installationId: string, at: number): void {
    this.built(observationsKey(installationId), { inputs: "", throttledInputs: "", at }, undefined);
  }

  /** Makes the cycle at `at` (epoch ms) plan an installation again, because not all of its tiles are stored. */
  replan(installationId: string, at: number, failure?: ReportRow): void {
    const key = observationsKey(installationId);
    this.#set(key, { ...this.#items.get(key), at, why: "failure" });
    if (failure !== undefined) this.#failures.set(key, failure);
  }

  /** Schedules a response that an earlier process put for its next change at `at` (epoch ms). */
  resume(key: string, at: number): void {
    this.#set(key, { at, why: "time" });
  }

  /** Makes the next cycle build the response, changed or not, because the store may have another object. */
  recheck(key: string, at: number): void {
    this.#set(key, { at, why: this.isUnpublished(key) ? "change" : "doubt" });
  }

  /**
   * A cycle at `at` (epoch ms) has ended. What was due and could not be planned is tried again as after a failure: its
   * installation is not in the ledger, or the ledger is refused. An object in doubt that no plan has (a tile, the index) is
   * due no more.
   */
  ended(at: number): void {
    for (const [key, item] of this.#dueAt(at)) {
      const isRetried = item.why !== "doubt" || installationOf(key) !== undefined;
      this.#set(key, isRetried ? { ...item, at: at + AFTER_FAILURE_MS } : undefined);
    }
  }

  /** Makes the next cycle plan every installation and build everything, because the sources were replaced. */
  forget(): void {
    this.#items.clear();
    this.#failures.clear();
    this.#next = undefined;
    this.#point = undefined;
  }

  /** True if the installation's ledger is refused. While the configured one's is, no other installation is planned. */
  isLedgerRefused(installationId: string): boolean {
    return this.refused.get(installationId)?.ledger !== undefined;
  }

  /** True if the object has changed or failed, and is not put yet. */
  isUnpublished(key: string): boolean {
    return isUnpublished(this.#items.get(key));
  }

  /** Ids of installations with facts up to `point` that could not be published. */
  unpublished(): Set<string> {
    const ids = new Set<string>();
    for (const [id, { ledger }] of this.refused) if (ledger !== undefined) ids.add(id);
    for (const [key, item] of this.#items) {
      const id = isUnpublished(item) ? installationOf(key) : undefined;
      if (id !== undefined) ids.add(id);
    }
    return ids;
  }

  /** Undefined deletes the item. */
  #set(key: string, item: Item | undefined): void {
    const before = this.#items.get(key)?.at;
    if (item === undefined) this.#items.delete(key);
    else this.#items.set(key, item);
    // A look at every item costs a millisecond with 10,000 installations.
    if (before === item?.at) return;
    if (before === this.#next) this.#next = undefined;
    else if (item?.at !== undefined && this.#next !== undefined) this.#next = Math.min(this.#next, item.at);
  }

  *#dueAt(instant: number): Iterable<[key: string, item: Item]> {
    if ((this.next() ?? Number.POSITIVE_INFINITY) > instant) return;
    for (const entry of this.#items) if ((entry[1].at ?? Number.POSITIVE_INFINITY) <= instant) yield entry;
  }
}

function isUnpublished(item: Item | undefined): boolean {
  return item?.why === "change" || item?.why === "failure";
}

/** The installation whose telemetry or tiles have this key. */
function installationOf(key: string): string | undefined {
  return parseInstallationTelemetryKey(key) ?? parseObservationsKey(key);
}

/** The earlier of two instants; undefined counts as never. */
export function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}

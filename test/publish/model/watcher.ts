/** A reader that reads repeatedly and remembers what it got: nothing may go back. */
import { PUBLIC_LOGS, parseCheckpointKey } from "../../../src/http/keys.ts";
import type { Checkpoint } from "../../../src/log/checkpoint.ts";
import { LogError } from "../../../src/log/log-error.ts";
import { PublicLog, readCheckpoint } from "../../../src/log/public-log.ts";
import { newPrivateKey, parseSigner } from "../../../src/log/signer.ts";
import { StoreDamaged } from "../../../src/object-store/object-store.ts";
import { IDS, type Id, isPrefix, runs } from "./ledgers.ts";
import { hasGrown, nothingSeen, type Reader, type Seen } from "./reader.ts";

/** Signs the logs of stories with a public log. */
export const LOG_KEY = parseSigner(newPrivateKey("model.example.org"));

export class Watcher {
  /** Everything that went back. It is collected, because the publisher would treat an exception as a failed put. */
  readonly wrong: string[] = [];
  /** While a new log starts, readers get parts of both logs. */
  isAbandoning = false;
  /** Older versions of objects have returned and may be served until a publisher has run, but never mixed. */
  servesOlder = false;
  /** Files of a public log are lost or damaged until a scrub. A reader who proves it gets an error, and nothing false. */
  isLogDamaged = false;
  readonly #reader: Reader;
  readonly #now: () => number;
  readonly #seen: Record<Id, Seen> = { "wheel-1": nothingSeen(), "wheel-2": nothingSeen() };
  /** Receipts of abandoned logs, which an older index may show again. */
  readonly #abandonedReceipts: Record<Id, (readonly number[])[]> = { "wheel-1": [], "wheel-2": [] };
  /** The installations of which readers got receipts before the log was abandoned, and that the new log may have. */
  #hadReceipts: readonly Id[] = [];
  /** The newest signed checkpoint of each log. */
  readonly #checkpoints = new Map<number, Checkpoint>();
  /** Ids of the activity's events, by configured installation. */
  readonly #events = new Map<string, Set<string>>();

  /** `now` is in epoch ms. */
  constructor(reader: Reader, now: () => number) {
    this.#reader = reader;
    this.#now = now;
  }

  /** The operator has abandoned the published log. The new one has facts of these installations. */
  abandon(ids: readonly Id[]): void {
    this.#hadReceipts = ids.filter((id) => this.#seen[id].receipts.length > 0);
    for (const id of IDS) {
      this.#abandonedReceipts[id].push(this.#seen[id].receipts);
      this.#seen[id] = nothingSeen();
    }
    this.#events.clear();
    this.isAbandoning = true;
  }

  /** Reads all responses that an object can change. */
  async lookAt(key: string, when: string): Promise<void> {
    const checkpoint = parseCheckpointKey(key);
    if (checkpoint?.root === PUBLIC_LOGS) await this.#lookAtLog(checkpoint.log, when);
    else if (key.startsWith("v1/public/activity/")) await this.#lookAtActivity(when);
    else if (/^(?:v1|v2|installations)/.test(key)) await this.#lookAtFacts(when);
  }

  /** Proves that the public log still contains all that it contained. */
  async #lookAtLog(log: number, when: string): Promise<void> {
    const read = (path: string) => this.#reader.logFile(`${log}/${path}`);
    const before = this.#checkpoints.get(log);
    try {
      const checkpoint = await readCheckpoint(read, [LOG_KEY.verifier], log);
      if (before !== undefined) await new PublicLog(read, checkpoint).requirePrefix(before);
      this.#checkpoints.set(log, checkpoint);
    } catch (error) {
      const isFault = error instanceof StoreDamaged || (error instanceof LogError && error.code === "log_incomplete");
      if (!this.servesOlder && !(this.isLogDamaged && isFault)) this.wrong.push(`log ${log} ${when}: ${error}`);
    }
  }

  async look(when: string): Promise<void> {
    await this.#lookAtFacts(when);
    await this.#lookAtActivity(when);
  }

  async #lookAtFacts(when: string): Promise<void> {
    if (this.isAbandoning) return this.servesOlder ? undefined : this.#lookAtNewLog(when);
    for (const id of IDS) {
      const before = this.#seen[id];
      const now = await this.#reader.seen(id, before, this.#now());
      const isRight = this.servesOlder ? this.#isOneLog(id, now) : hasGrown(before, now);
      if (!isRight) this.wrong.push(`${id} ${when}: ${describeSeen(before)}, then ${describeSeen(now)}`);
      if (!this.servesOlder) this.#seen[id] = now;
    }
  }

  /** Before it has begun, nobody knows how many receipts it has. */
  async #lookAtNewLog(when: string): Promise<void> {
    for (const id of this.#hadReceipts) {
      const observations = await this.#reader.observations(id, this.#now());
      if (observations?.length === 0) this.wrong.push(`${id} ${when}: the new log has no observations`);
    }
  }

  #isOneLog(id: Id, { receipts }: Seen): boolean {
    const logs = [...this.#abandonedReceipts[id], this.#seen[id].receipts];
    return logs.some((log) => isPrefix(log, receipts) || isPrefix(receipts, log));
  }

  async #lookAtActivity(when: string): Promise<void> {
    const activity = await this.#reader.activity("all", this.#now());
    if (activity === undefined || this.servesOlder || this.isAbandoning) return;
    const { installationId, events } = activity;
    const ids = new Set(events.map(({ id }) => id));
    if (ids.size !== events.length) this.wrong.push(`${when}: an event is twice in the activity`);
    const missing = [...(this.#events.get(installationId) ?? [])].filter((id) => !ids.has(id));
    if (missing.length > 0) this.wrong.push(`${when}: the activity lacks ${missing.slice(0, 3)}`);
    this.#events.set(installationId, ids);
  }
}

function describeSeen({ receipts, modules, ...seen }: Seen): string {
  return `${runs(receipts)}, modules ${runs(modules)}, ${JSON.stringify(seen)}`;
}

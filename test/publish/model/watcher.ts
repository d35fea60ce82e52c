/** A reader that reads repeatedly and remembers what it got: nothing may go back. */
import { checkpointKey } from "../../../src/http/keys.ts";
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
  /** Older versions of objects have returned and may be served until a publisher has run, but never mixed. */
  servesOlder = false;
  /** Files of a public log are lost or damaged until a scrub. A reader who proves it gets an error, and nothing false. */
  isLogDamaged = false;
  readonly #reader: Reader;
  readonly #now: () => number;
  readonly #seen: Record<Id, Seen> = { "wheel-1": nothingSeen(), "wheel-2": nothingSeen() };
  /** The newest signed checkpoint. */
  #checkpoint: Checkpoint | undefined;
  /** Ids of the activity's events, by configured installation. */
  readonly #events = new Map<string, Set<string>>();

  /** `now` is in epoch ms. */
  constructor(reader: Reader, now: () => number) {
    this.#reader = reader;
    this.#now = now;
  }

  /** Reads all responses that an object can change. */
  async lookAt(key: string, when: string): Promise<void> {
    if (key === checkpointKey("public")) await this.#lookAtLog(when);
    else if (key.startsWith("v1/public/activity/")) await this.#lookAtActivity(when);
    else if (/^(?:v1|v2|installations)/.test(key)) await this.#lookAtFacts(when);
  }

  /** Proves that the public log still contains all that it contained. */
  async #lookAtLog(when: string): Promise<void> {
    const read = (path: string) => this.#reader.logFile(path);
    const before = this.#checkpoint;
    try {
      const checkpoint = await readCheckpoint(read, [LOG_KEY.verifier]);
      if (before !== undefined) await new PublicLog(read, checkpoint).requirePrefix(before);
      this.#checkpoint = checkpoint;
    } catch (error) {
      const isFault = error instanceof StoreDamaged || (error instanceof LogError && error.code === "log_incomplete");
      if (!this.servesOlder && !(this.isLogDamaged && isFault)) this.wrong.push(`log ${when}: ${error}`);
    }
  }

  async look(when: string): Promise<void> {
    await this.#lookAtFacts(when);
    await this.#lookAtActivity(when);
  }

  async #lookAtFacts(when: string): Promise<void> {
    for (const id of IDS) {
      const before = this.#seen[id];
      const now = await this.#reader.seen(id, before, this.#now());
      const isRight = this.servesOlder ? this.#isOneLog(id, now) : hasGrown(before, now);
      if (!isRight) this.wrong.push(`${id} ${when}: ${describeSeen(before)}, then ${describeSeen(now)}`);
      if (!this.servesOlder) this.#seen[id] = now;
    }
  }

  #isOneLog(id: Id, { receipts }: Seen): boolean {
    const log = this.#seen[id].receipts;
    return isPrefix(log, receipts) || isPrefix(receipts, log);
  }

  async #lookAtActivity(when: string): Promise<void> {
    const activity = await this.#reader.activity("all", this.#now());
    if (activity === undefined || this.servesOlder) return;
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

/** When a holder puts its `private/status.json` (docs/spec/publishing.md#private-status). */
import { PRIVATE_STATUS_KEY } from "../../src/http/keys.ts";
import type { StoreTag } from "../../src/object-store/object-store.ts";
import { encodeWriterMetadata, JSON_TYPE } from "../../src/object-store/stored-response.ts";
import type { Clock } from "../clock/clock.ts";
import { type PutTarget, putUnderLease } from "../put.ts";
import type { OperatorReport } from "./operator-report.ts";
import type { MeasuredRequests } from "./request-tally.ts";

/** Between two puts of one holder (ms); the last one, when it lets go, waits for nothing. */
export const PRIVATE_STATUS_MS = 300_000;
const JUDGED_EVERY_MS = 10_000;

export class PrivateStatusWriter {
  readonly #target: Pick<PutTarget, "store" | "fence">;
  readonly #clock: Clock;
  readonly #holderName: string;
  #content: string | undefined;
  #tag: StoreTag | undefined;
  /** Monotonic. */
  #putAt = Number.NEGATIVE_INFINITY;
  #judgedAt = Number.NEGATIVE_INFINITY;

  constructor(target: Pick<PutTarget, "store" | "fence">, clock: Clock, holderName: string) {
    this.#target = target;
    this.#clock = clock;
    this.#holderName = holderName;
  }

  /** Whether it is time to judge whether there is something new to tell. */
  get isDue(): boolean {
    const now = this.#clock.monotonic();
    return now - this.#putAt >= PRIVATE_STATUS_MS && now - this.#judgedAt >= JUDGED_EVERY_MS;
  }

  /** Puts the report where it says something else than was put last. Throws the store's own errors, lease_… (75). */
  async put(report: OperatorReport): Promise<void> {
    this.#judgedAt = this.#clock.monotonic();
    const content = contentOf(report);
    if (content === this.#content) return;
    const { epoch, writer } = this.#target.fence;
    const status = { schemaVersion: 1, epoch, holder: writer, holderName: this.#holderName, ...report };
    const metadata = encodeWriterMetadata({ epoch, writer, asof: { at: this.#clock.wall() } });
    const object = { body: Buffer.from(`${JSON.stringify(status)}\n`), contentType: JSON_TYPE, metadata };
    const put = (replaces: StoreTag | null) =>
      putUnderLease({ key: PRIVATE_STATUS_KEY, object, replaces }, this.#target);
    const first = await put(this.#tag ?? null);
    // An earlier holder's, or a damaged one, or it was deleted.
    this.#tag = first.tag ?? (await put(first.found?.tag ?? null)).tag;
    if (this.#tag === undefined) return;
    this.#content = content;
    this.#putAt = this.#judgedAt;
  }
}

/** What a good pass over the chain has reached moves every few seconds and is no news: the lease object says it. */
function contentOf({ sources, requests, ...report }: OperatorReport): string {
  const { chain } = sources;
  const isProgress =
    typeof chain === "object" && chain !== null && "type" in chain && ["good", "range"].includes(String(chain.type));
  const counted = requests === undefined ? undefined : stepOf(requests);
  return JSON.stringify({ ...report, counted, sources: isProgress ? { ...sources, chain: "good" } : sources });
}

const FIRST_HOUR_MS = 3_600_000;
const FIRST_STEP_MS = 600_000;

/** Counts move with each request: they are news every ten minutes of the first hour, then every hour. */
function stepOf({ since, until }: MeasuredRequests): string {
  const elapsed = Date.parse(until) - Date.parse(since);
  const step = elapsed < FIRST_HOUR_MS ? FIRST_STEP_MS : FIRST_HOUR_MS;
  return `${since} ${step} ${Math.floor(elapsed / step)}`;
}

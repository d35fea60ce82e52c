/**
 * What every resource's pure `build…(facts, at)` returns. `at` is epoch milliseconds; the same facts and instant give
 * the same bytes on every machine.
 */
import type { Representation } from "../http/representation.ts";

export interface Built extends Representation {
  /**
   * What has to differ for the answer to be put anew: all that a reader sees except `generatedAt`
   * (docs/spec/publishing.md#frozen-bytes). Any text; the publisher keeps its hash.
   */
  readonly identity: string;
  /** The first millisecond after `at` at which time alone changes the answer; building there gives the successor. */
  readonly nextChangeAt?: number;
  /** What takes over at nextChangeAt where building there would not give it, such as the same body as saved history. */
  readonly successor?: Built;
  /** At nextChangeAt the constant answer at this key takes over, and nothing comes after it. */
  readonly successorKey?: string;
  /** Put only where no good answer stands, such as a published 503 (docs/spec/publishing.md#missing-is-unknown). */
  readonly onlyIfAbsent?: boolean;
}

/**
 * The result of every resource's pure `build…(facts, at)`. `at` is epoch milliseconds; the same facts and instant give the
 * same bytes on every machine.
 */
import type { Representation } from "../http/representation.ts";

export interface Built extends Representation {
  /**
   * The fingerprint's text: all that a reader sees except `generatedAt` (docs/spec/publishing.md#frozen-bytes). The response
   * is rewritten if it differs. Any text; the publisher keeps its hash.
   */
  readonly identity: string;
  /**
   * The first millisecond after `at` at which time alone changes the response; a build for that instant gives the successor.
   */
  readonly nextChangeAt?: number;
  /** The successor at nextChangeAt if a build for that instant would not give it, such as the same body as saved history. */
  readonly successor?: Built;
  /** At nextChangeAt the constant response at this key takes over, and nothing comes after it. */
  readonly successorKey?: string;
  /** Put only if no good response is stored, such as a published 503 (docs/spec/publishing.md#missing-is-unknown). */
  readonly isPlaceholder?: boolean;
}

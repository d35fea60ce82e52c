/**
 * The result of every resource's `build…(facts, at)`, a pure function. `at` is epoch ms. The same facts and instant give the
 * same bytes on every machine.
 */

import { createHash } from "node:crypto";
import type { Representation } from "../http/representation.ts";

export interface Built extends Representation {
  /**
   * Everything that a reader sees except `generatedAt` (docs/spec/publishing.md#frozen-bytes). The response's fingerprint is
   * computed from it. If the fingerprint differs, the publisher rewrites the response.
   */
  readonly lasting: string;
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

/** An opaque revision of a text: 43 characters of base64url, SHA-256. */
export function revisionOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/**
 * The result of each resource's pure function `build…(facts, at)`, with `at` in epoch ms. The same facts and instant
 * give the same bytes on every machine.
 */

import { createHash } from "node:crypto";
import type { Representation } from "../http/representation.ts";

export interface Built extends Representation {
  /**
   * All that a reader sees except `generatedAt` (docs/spec/publishing.md#frozen-bytes). The fingerprint is its hash: if
   * it changes, the publisher rewrites the response.
   */
  readonly fingerprintText: string;
  /** The first instant (epoch ms) at which the response changes without new facts: build then for the successor. */
  readonly nextChangeAt?: number;
  /** The successor at nextChangeAt, if a build for that instant would differ, for example saved history. */
  readonly successor?: Built;
  /** Key of the constant response that replaces this one at nextChangeAt. It has no successor itself. */
  readonly successorKey?: string;
  /** True if the sources are incomplete: put only while no good response is stored (docs/spec/publishing.md#promises). */
  readonly isPlaceholder?: boolean;
}

/** Returns an opaque revision of a text: SHA-256 as 43 base64url characters. */
export function revisionOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

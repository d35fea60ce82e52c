/**
 * Tests if a server supports conditional puts (docs/spec/publishing.md#one-writer). Some ignore conditions and
 * overwrite, some respond with 501, some compare If-Match only with the unquoted tag. A stale tag must be refused and
 * the current one accepted.
 */

import type { StoreTag } from "../object-store.ts";

export type TagForm = "quoted" | "unquoted";

/** `none` means that the server ignores or refuses conditions. */
export type Conditions = TagForm | "none";

export interface PutHeaders {
  readonly IfNoneMatch?: "*";
  readonly IfMatch?: string;
}

/** The tag of a put, or why its condition was refused. */
export type Written =
  | { readonly tag: StoreTag; readonly refused: undefined }
  | { readonly refused: "condition" | "unsupported"; readonly error: unknown };

/** Puts the same small object again. */
type ProbePut = (headers: PutHeaders) => Promise<Written>;

const STALE_TAG = "0".repeat(32);

/**
 * Puts a small object again and again. If a response is lost, `create` must read whether its put was done. `put` need not: the same
 * bytes have the same tag.
 */
export async function probeConditions(create: ProbePut, put: ProbePut): Promise<Conditions> {
  const first = await create({ IfNoneMatch: "*" });
  if (first.refused !== undefined) return "none";
  const again = await put({ IfNoneMatch: "*" });
  if (again.refused !== "condition") return "none";
  for (const form of ["quoted", "unquoted"] as const) {
    const stale = await put({ IfMatch: tagInForm(STALE_TAG, form) });
    if (stale.refused !== "condition") return "none";
    const right = await put({ IfMatch: tagInForm(first.tag, form) });
    if (right.refused === undefined) return form;
  }
  return "none";
}

export function tagInForm(tag: string, form: TagForm): string {
  return form === "quoted" ? `"${tag}"` : tag;
}

/** Returns a tag without quotes and weakness prefix. */
export function bareTag(etag: string | undefined): string {
  return (etag ?? "").replace(/^W\//, "").replaceAll('"', "");
}

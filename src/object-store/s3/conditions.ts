/**
 * Tests a server's conditions on puts (docs/spec/publishing.md#one-writer): some ignore them and overwrite, some respond with
 * 501, some compare If-Match with the unquoted tag only. A `stale` tag must be refused and the right one accepted.
 */

import type { StoreTag } from "../object-store.ts";

export type TagForm = "quoted" | "unquoted";

/** `none`: conditions would be ignored or refused. */
export type Conditions = TagForm | "none";

export interface PutHeaders {
  readonly IfNoneMatch?: "*";
  readonly IfMatch?: string;
}

/** The tag of a put, or the refusal of its condition. */
export type Written =
  | { readonly tag: StoreTag; readonly refused: undefined }
  | { readonly refused: "condition" | "unsupported"; readonly error: unknown };

/** One put of the same small object. */
type ProbePut = (headers: PutHeaders) => Promise<Written>;

const STALE_TAG = "0".repeat(32);

/**
 * `create` distinguishes a refusal from a lost response, which takes a read. `put` need not: the later puts have the same bytes, and
 * so the same tag.
 */
export async function probeConditions(create: ProbePut, put: ProbePut): Promise<Conditions> {
  const first = await create({ IfNoneMatch: "*" });
  if (first.refused !== undefined) return "none";
  const again = await put({ IfNoneMatch: "*" });
  if (again.refused !== "condition") return "none";
  for (const form of ["quoted", "unquoted"] as const) {
    const stale = await put({ IfMatch: inForm(STALE_TAG, form) });
    if (stale.refused !== "condition") return "none";
    const right = await put({ IfMatch: inForm(first.tag, form) });
    if (right.refused === undefined) return form;
  }
  return "none";
}

export function inForm(tag: string, form: TagForm): string {
  return form === "quoted" ? `"${tag}"` : tag;
}

/** A tag as this store keeps it: without quotes and weakness. */
export function bareTag(etag: string | undefined): string {
  return (etag ?? "").replace(/^W\//, "").replaceAll('"', "");
}

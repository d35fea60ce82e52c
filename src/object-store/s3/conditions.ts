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

/** The tag of a put, or why it was refused, with the tag that the object has (undefined: there is none). */
export type Written =
  | { readonly tag: StoreTag; readonly refused: undefined }
  | { readonly refused: "condition" | "contended"; readonly stored: StoreTag | undefined; readonly error: unknown }
  | { readonly refused: "unsupported"; readonly error: unknown };

const STALE_TAG = "0".repeat(32);

/**
 * Puts a small object of its own again and again with `put`, which never reports its own earlier attempt as a refusal.
 * Throws the error of a refusal that proves nothing: another writer was there.
 */
export async function probeConditions(put: (headers: PutHeaders) => Promise<Written>): Promise<Conditions> {
  let tag: StoreTag | undefined;
  const attempt = async (headers: PutHeaders): Promise<Written["refused"]> => {
    const done = await put(headers);
    if (done.refused === "contended" || (done.refused === "condition" && done.stored !== tag)) throw done.error;
    if (done.refused === undefined) ({ tag } = done);
    return done.refused;
  };
  if ((await attempt({ IfNoneMatch: "*" })) !== undefined || tag === undefined) return "none";
  if ((await attempt({ IfNoneMatch: "*" })) !== "condition") return "none";
  for (const form of ["quoted", "unquoted"] as const) {
    if ((await attempt({ IfMatch: tagInForm(STALE_TAG, form) })) !== "condition") return "none";
    if ((await attempt({ IfMatch: tagInForm(tag, form) })) === undefined) return form;
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

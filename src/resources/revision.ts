import { createHash } from "node:crypto";

/** An opaque revision of a text: 43 characters of base64url, SHA-256. */
export function revisionOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

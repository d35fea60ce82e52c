/** The fronts that a shim trusts (setting `fronts`): only those get headers for caches. */
import { createHash, timingSafeEqual } from "node:crypto";

/** Checks the secret that a front sends, if any. */
export type TrustsFront = (given: string | undefined) => boolean;

/** `fronts`: `none`, `any`, or the secret. The time of the comparison does not reveal it. */
export function trustsFront(fronts: string): TrustsFront {
  if (fronts === "none") return () => false;
  if (fronts === "any") return () => true;
  const wanted = digest(fronts);
  return (given) => given !== undefined && timingSafeEqual(digest(given), wanted);
}

/** Both have one length, as the comparison needs it. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

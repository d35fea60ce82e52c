/** Which fronts a shim hears (setting `fronts`): only those can make it say what a cache may keep. */
import { createHash, timingSafeEqual } from "node:crypto";

/** Of what a front gives as its secret, if anything. */
export type HearsFront = (given: string | undefined) => boolean;

/** `fronts`: `none`, `any`, or the secret, which is compared in a time that tells nothing of it. */
export function hearsFront(fronts: string): HearsFront {
  if (fronts === "none") return () => false;
  if (fronts === "any") return () => true;
  const wanted = digest(fronts);
  return (given) => given !== undefined && timingSafeEqual(digest(given), wanted);
}

/** Of one length, as the comparison needs it. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

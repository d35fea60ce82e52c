/** Accept-Encoding (RFC 9110, 12.5.3): which coding an answer is sent in (docs/spec/api.md#malformed-http). */

export type Coding = "br" | "gzip";

/** The better one first: it is taken where a client likes both as well. */
export const CODINGS: readonly Coding[] = ["br", "gzip"];

const MEMBER = /^[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*(?:;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/i;

/**
 * `undefined`: as it is. That is what is sent, too, where a client refuses it and takes nothing that we offer: the API
 * names no 406, and RFC 9110 allows to pass over the field. A member that is not well formed says nothing.
 */
export function chooseCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const weights = new Map<string, number>();
  for (const member of acceptEncoding.split(",")) {
    const [, name, weight] = MEMBER.exec(member) ?? [];
    if (name !== undefined) weights.set(canonical(name), Number(weight ?? 1));
  }
  const others = weights.get("*");
  let best: Coding | undefined;
  let most = 0;
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? others ?? 0;
    if (weight > most) [best, most] = [coding, weight];
  }
  // Identity that is not named is welcome, but less than what is.
  return most >= (weights.get("identity") ?? 0) ? best : undefined;
}

function canonical(name: string): string {
  const lower = name.toLowerCase();
  return lower === "x-gzip" ? "gzip" : lower;
}

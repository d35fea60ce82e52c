/** Accept-Encoding (RFC 9110, 12.5.3): the coding of a response (docs/spec/api.md#malformed-http). */

export type Coding = "br" | "gzip";

/** The better one first: it is chosen if a client prefers both equally. */
export const CODINGS: readonly Coding[] = ["br", "gzip"];

const MEMBER = /^[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*(?:;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/i;

/**
 * `undefined`: the body as it is. A client that refuses it and accepts nothing on offer also gets it: the API has no 406, and
 * RFC 9110 allows ignoring the field. A malformed member is ignored.
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
  // Unnamed identity is accepted, but less preferred than named codings.
  return most >= (weights.get("identity") ?? 0) ? best : undefined;
}

function canonical(name: string): string {
  const lower = name.toLowerCase();
  return lower === "x-gzip" ? "gzip" : lower;
}

/**
 * If-None-Match (docs/spec/api.md#http; RFC 9110, 13.1.2): the exact tag, its weak form, a list of candidates, or `*`.
 * A field that is not well formed matches as far as its well-formed members do: a 200 is never wrong.
 */

const ANY = /^[ \t]*\*[ \t]*$/;
const MEMBER = /^[ \t]*((?:W\/)?"[\x21\x23-\x7e\x80-\u00ff]*")[ \t]*$/;

/** True if a request's If-None-Match names this (strong or weak) tag; comparison is weak. */
export function matchesNone(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag) return true;
  if (ANY.test(ifNoneMatch)) return true;
  const wanted = opaque(etag);
  return members(ifNoneMatch).some((member) => {
    const tag = MEMBER.exec(member)?.[1];
    return tag !== undefined && opaque(tag) === wanted;
  });
}

function opaque(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}

/** Split at the commas outside quotes. */
function members(field: string): string[] {
  const found: string[] = [];
  let quoted = false;
  let start = 0;
  for (let at = 0; at < field.length; at++) {
    const unit = field[at];
    if (unit === '"') quoted = !quoted;
    else if (unit === "," && !quoted) {
      found.push(field.slice(start, at));
      start = at + 1;
    }
  }
  found.push(field.slice(start));
  return found;
}

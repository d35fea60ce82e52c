/** Evaluates If-None-Match in fronts' scripts (njs 0.7, CloudFront Functions), as the shim does. */

/** Compares weakly, skips malformed list members, and treats commas inside quotes as part of a tag. */
export function matchesNone(field, etag) {
  if (/^[ \t]*\*[ \t]*$/.test(field)) return true;
  const wanted = etag.indexOf("W/") === 0 ? etag.slice(2) : etag;
  let quoted = false;
  let start = 0;
  for (let at = 0; at <= field.length; at++) {
    if (field[at] === '"') quoted = !quoted;
    if (at < field.length && (field[at] !== "," || quoted)) continue;
    const tag = /^[ \t]*(?:W\/)?("[^"]*")[ \t]*$/.exec(field.slice(start, at));
    if (tag !== null && tag[1] === wanted) return true;
    start = at + 1;
  }
  return false;
}

/**
 * Keys as file names.
 *
 * - `.http` is appended, so that a key may be another key's directory.
 * - Upper-case letters become `!` and the lower-case letter (as in Go's module cache), so that a disk that ignores case keeps
 *   keys apart.
 * - All except `a-z 0-9 . _ ~ -` becomes `%` and hexadecimal digits of its UTF-8, so that a disk that normalises Unicode
 *   keeps keys apart.
 * - No name begins with a dot: those are the store's own.
 */

const SUFFIX = ".http";
/** File systems allow 255 bytes a name; a longer segment continues in a directory below. */
const MAX_NAME = 200;
const CONTINUED = "%+";

/** The path below the store's directory, with `/` between names. */
export function fileOfKey(key: string): string {
  const segments = key.split("/").map(escapeSegment);
  const file = `${segments.pop() ?? ""}${SUFFIX}`;
  // A directory with the form of an object's file would block that object.
  const directories = segments.map((name) =>
    name.endsWith(SUFFIX) ? `${name.slice(0, -SUFFIX.length)}%2ehttp` : name,
  );
  return [...directories, file].map(split).join("/");
}

/** The reverse of `fileOfKey`; `undefined` for a path without an object. */
export function keyOfFile(path: string): string | undefined {
  if (!path.endsWith(SUFFIX) || /(^|\/)\./.test(path)) return undefined;
  const whole = path.slice(0, -SUFFIX.length).replaceAll(`${CONTINUED}/`, "");
  try {
    return decodeURIComponent(whole.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  } catch {
    return undefined;
  }
}

function escapeSegment(segment: string): string {
  return segment
    .replace(/[^A-Za-z0-9._~-]+/g, (text) => Buffer.from(text).toString("hex").replace(/../g, "%$&"))
    .replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`)
    .replace(/^\./, "%2e");
}

function split(name: string): string {
  const parts = name.match(new RegExp(`.{1,${MAX_NAME}}`, "g")) ?? [];
  return parts.join(`${CONTINUED}/`);
}

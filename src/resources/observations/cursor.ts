/**
 * The cursor of the observations (docs/spec/api.md#observations): unpadded base64url of the decimal receipt position.
 * Opaque to readers; `btoa` and `atob` because the shim runs where there is no Buffer.
 */

/** The cursor of a position. */
export function encodeObservationCursor(position: number): string {
  return btoa(String(position)).replaceAll("=", "");
}

/** The position of a cursor; undefined where it is not canonical, not positive or above 2^53 − 1. */
export function decodeObservationCursor(cursor: string): number | undefined {
  if (!/^[A-Za-z0-9_-]{2,24}$/.test(cursor)) return undefined;
  let text: string;
  try {
    text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return undefined;
  const position = Number(text);
  return Number.isSafeInteger(position) && encodeObservationCursor(position) === cursor ? position : undefined;
}

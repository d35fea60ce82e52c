/** Base64 for every runtime: without Buffer, which a Worker lacks. */

/**
 * Standard base64 with padding (RFC 4648, section 4). Returns undefined unless the text is exactly what an encoder
 * writes: no line breaks, and unused bits are zero.
 */
export function base64Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return undefined;
  }
  // `atob` ignores spaces, padding and unused bits.
  if (btoa(binary) !== text) return undefined;
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** Returns the text of at most some thousand bytes. */
export function base64Text(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Returns an ASCII text in base64url without padding. */
export function base64Url(text: string): string {
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns the text; undefined unless it is exactly what `base64Url` writes. */
export function base64UrlText(encoded: string): string | undefined {
  try {
    const text = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
    return base64Url(text) === encoded ? text : undefined;
  } catch {
    return undefined;
  }
}

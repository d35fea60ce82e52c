/**
 * An RPC address as it may be printed: scheme and host, everything that may hold a key (user, password, path, query)
 * replaced (docs/spec/chain.md#deployment).
 */
export function redactUrl(address: string): string {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return "(an address that is not a URL)";
  }
  const secret = url.username !== "" || url.password !== "" || url.pathname.length > 1 || url.search !== "";
  return `${url.protocol}//${url.host}${secret || url.hash !== "" ? "/…" : ""}`;
}

/** A text in which every one of the addresses, and every part of them that may be a key, is replaced. */
export function redactText(text: string, addresses: readonly string[]): string {
  let redacted = text;
  for (const address of addresses) {
    redacted = redacted.replaceAll(address, redactUrl(address));
    for (const secret of secretsOf(address)) redacted = redacted.replaceAll(secret, "…");
  }
  return redacted;
}

function secretsOf(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { username, password, pathname, search } = new URL(address);
  const credentials = [username, password, decoded(username), decoded(password)].filter((part) => part !== "");
  // Shorter pieces of a path or query are words such as `v3`; a key is never that short.
  const pieces = [...pathname.split("/"), ...search.split(/[?&=]/)].filter((part) => part.length >= 8);
  return [...credentials, ...pieces, ...pieces.map(decoded)].sort((a, b) => b.length - a.length);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

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

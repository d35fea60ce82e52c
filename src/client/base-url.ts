/** The address that paths are appended to, without a slash at its end. */

/** In a page it may be relative. Throws a TypeError for what no path can be appended to. */
export function baseAddress(baseUrl: string | URL): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  const { href, protocol, username, password } = new URL(baseUrl, location?.href);
  if (!/^https?:$/.test(protocol) || /[?#]/.test(href) || username !== "" || password !== "") {
    throw new TypeError(`baseUrl must be http(s) without user, query and fragment: ${href}`);
  }
  let base = href;
  while (base.endsWith("/")) base = base.slice(0, -1);
  return base;
}

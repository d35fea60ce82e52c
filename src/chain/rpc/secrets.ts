/**
 * Removes keys from printed addresses and from nodes' texts. A node, or a proxy in front of it, may echo addresses and
 * headers in its errors, in any case and encoding.
 */

import { printable } from "../../values/printable.ts";

export class Secrets {
  /** Matches every secret; undefined if there is none. */
  readonly pattern: RegExp | undefined;
  readonly #longest: number;

  /** `addresses` are those of all nodes, with their keys. */
  constructor(addresses: readonly string[]) {
    const secrets = [...new Set(addresses.flatMap(secretsOf))].sort((a, b) => b.length - a.length);
    this.pattern = secrets.length === 0 ? undefined : new RegExp(secrets.map(inAnyEncoding).join("|"), "gi");
    // A character may be written with six, such as `\\u0061`.
    this.#longest = 6 * Math.max(0, ...secrets.map((secret) => secret.length));
  }

  /** Returns the text as one printable line, with every secret replaced by `…`. */
  clean(text: string): string {
    const isCut = text.length > READ_CHARACTERS;
    const read = isCut ? text.slice(0, READ_CHARACTERS) : text;
    const redacted = this.pattern === undefined ? read : read.replace(this.pattern, "…");
    // A cut text may end inside a secret.
    const kept = isCut ? redacted.slice(0, Math.max(0, redacted.length - this.#longest)) : redacted;
    return printable(kept.replace(/\s+/g, " ").trim());
  }
}

/** Limit of the text that is searched, because an error may have megabytes. */
const READ_CHARACTERS = 8_192;
/** Shorter pieces of a path or query are words such as `v3`; keys are longer. */
const SHORTEST_KEY = 8;

function secretsOf(address: string): string[] {
  if (!URL.canParse(address)) return [address];
  const { username, password, pathname, search, hash } = new URL(address);
  const [user, pass] = [decoded(username), decoded(password)];
  const pieces = [...pathname.split("/"), ...search.split(/[?&=]/), hash.slice(1)];
  const keys = [...pieces, ...pieces.map(decoded)].filter((piece) => piece.length >= SHORTEST_KEY);
  const basic = user === "" && pass === "" ? [] : [`${user}:${pass}`];
  const encoded = [...basic, ...keys].flatMap((secret) => [base64(secret, "base64"), base64(secret, "base64url")]);
  return [...basic, user, pass, ...keys, ...encoded].filter((secret) => secret !== "");
}

/** Omits the padding, which may be missing or encoded. */
function base64(secret: string, encoding: "base64" | "base64url"): string {
  return Buffer.from(secret).toString(encoding).replaceAll("=", "");
}

/** Matches each character as itself, percent-encoded (once or more) or as a JSON escape. */
function inAnyEncoding(secret: string): string {
  return [...secret]
    .map((character) => {
      const percent = [...Buffer.from(character)].map((byte) => `%(?:25)*${hex(byte, 2)}`).join("");
      const escaped = [...character].map((unit) => `\\\\u${hex(unit.charCodeAt(0), 4)}`).join("");
      return `(?:${quoted(character)}|${percent}|${escaped})`;
    })
    .join("");
}

/** Escapes a text for a regular expression. */
function quoted(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns an RPC address for display: scheme and host, with everything replaced that may hold a key (user, password,
 * path, query, fragment; docs/spec/chain.md#deployment).
 */
export function redactUrl(address: string): string {
  if (!URL.canParse(address)) return "(an address that is not a URL)";
  const { protocol, host, username, password, pathname, search, hash } = new URL(address);
  const secret = username + password + pathname.slice(1) + search + hash;
  return `${protocol}//${host}${secret === "" ? "" : "/…"}`;
}

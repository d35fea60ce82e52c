/**
 * Signed notes (C2SP's signed-note), as a reader checks them: Ed25519 by WebCrypto. A text counts only if a known key
 * signed it.
 */
import { base64Bytes, base64Text } from "../values/base64.ts";
import { printable } from "../values/printable.ts";
import { LogError } from "./log-error.ts";

/** A public key under a name. Both sides of a signature compare name and id. */
export interface Verifier {
  readonly name: string;
  /** Four bytes as eight hexadecimal digits. */
  readonly id: string;
  /** 32 bytes. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

export interface OpenedNote {
  /** It ends with a newline. */
  readonly text: string;
  /** The known keys whose signatures were checked; at least one. */
  readonly signedBy: readonly Verifier[];
}

/** The type byte of a plain Ed25519 signature. */
const ED25519 = 1;
export const KEY_BYTES = 32;
const ID_BYTES = 4;

/** Begins a line of a signature. Written as an escape, because a page without a charset reads scripts as Windows-1252. */
export const DASH = "\u2014";

/** The specification asks for at least 16. Each known key is verified once, so more lines cost parsing only. */
export const MAX_SIGNATURES = 100;
/** A hundred signatures of the largest kind (ML-DSA, 5 kB) and the text. */
const MAX_NOTE_BYTES = 1 << 20;

/** True if a note can have this name: not empty, without spaces, `+` or control characters. */
function isKeyName(name: string): boolean {
  return name !== "" && name.isWellFormed() && !hasControlCharacter(name) && !/[\p{White_Space}+]/u.test(name);
}

/** True if the text has a character that a note cannot have: one below U+0020 that is not a newline. */
export function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < " " && character !== "\n");
}

/** Returns `NAME+ID+DATA`, the text that `parseVerifierKey` and Go's note.NewVerifier parse. */
export function verifierKey({ name, id, publicKey }: Verifier): string {
  return `${name}+${id}+${base64Text(typedKey(publicKey))}`;
}

/** Returns the bytes whose SHA-256 starts with the key's id. */
export function idInput(name: string, publicKey: Uint8Array): Uint8Array<ArrayBuffer> {
  return joined(new TextEncoder().encode(`${name}\n`), typedKey(publicKey));
}

/** Parses `NAME+ID+DATA`. Throws `log_key_invalid`. */
export async function parseVerifierKey(text: string): Promise<Verifier> {
  if (text.startsWith("PRIVATE+KEY+")) {
    throw new LogError("log_key_invalid", "the key is a private key: readers need the verifier key");
  }
  const { name, id, key: publicKey } = keyParts(text);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", idInput(name, publicKey)));
  const expected = hexadecimal(hash.subarray(0, ID_BYTES));
  if (id !== expected) {
    throw new LogError("log_key_invalid", `the key's id is ${id}, but its name and its bytes give ${expected}`);
  }
  return { name, id, publicKey };
}

/** Splits `NAME+ID+DATA`, of a public or a private key. The id is not checked. Throws `log_key_invalid`. */
export function keyParts(text: string): { name: string; id: string; key: Uint8Array<ArrayBuffer> } {
  const [, name = "", id = "", data = ""] = /^([^+]*)\+([^+]*)\+(.*)$/.exec(text) ?? [];
  if (!isKeyName(name)) throw new LogError("log_key_invalid", "the key does not have the form NAME+ID+DATA");
  if (!/^[0-9a-fA-F]{8}$/.test(id)) {
    throw new LogError("log_key_invalid", `the id of the key ${printable(name)} is not 8 hexadecimal digits`);
  }
  const bytes = base64Bytes(data);
  if (bytes === undefined) {
    throw new LogError("log_key_invalid", `the data of the key ${printable(name)} is not base64`);
  }
  if (bytes[0] !== ED25519) {
    throw new LogError("log_key_invalid", `the key ${printable(name)} is not an Ed25519 key of the type 1`);
  }
  if (bytes.length !== 1 + KEY_BYTES) {
    throw new LogError("log_key_invalid", `the key ${printable(name)} has ${bytes.length - 1} bytes, not ${KEY_BYTES}`);
  }
  return { name, id: id.toLowerCase(), key: bytes.slice(1) };
}

/**
 * Checks the signatures of a note. A signature of an unknown key is ignored. Throws `log_malformed` for another form, and
 * `log_unsigned` if no known key signed the text or the signature of a known key does not fit it.
 */
export async function openNote(bytes: Uint8Array, known: readonly Verifier[]): Promise<OpenedNote> {
  const { text, signatures } = parseNote(bytes);
  const signedBy: Verifier[] = [];
  for (const verifier of known) {
    const signature = signatures.find(({ name, id }) => name === verifier.name && id === verifier.id);
    if (signature === undefined) continue;
    if (!(await isValid(verifier, signature.bytes, text))) {
      const key = `${printable(verifier.name)}+${verifier.id}`;
      throw new LogError("log_unsigned", `the signature of the key ${key} does not fit the text`);
    }
    signedBy.push(verifier);
  }
  if (signedBy.length > 0) return { text, signedBy };
  const signers = signatures.slice(0, 3).map(({ name, id }) => `${printable(name, 100)}+${id}`);
  throw new LogError("log_unsigned", `no known key signed the text: its signatures are by ${signers.join(", ")}`);
}

async function isValid({ publicKey }: Verifier, signature: Uint8Array<ArrayBuffer>, text: string): Promise<boolean> {
  const key = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, signature, new TextEncoder().encode(text));
}

interface Signature {
  readonly name: string;
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Parses a note without checking its signatures. The text ends before the last empty line; each line after that is
 * `— NAME BASE64`. Throws `log_malformed`.
 */
export function parseNote(bytes: Uint8Array): { text: string; signatures: Signature[] } {
  const note = decodedNote(bytes);
  const end = note.lastIndexOf("\n\n");
  if (end === -1) throw malformed("it has no empty line before its signatures");
  const lines = note.slice(end + 2).split("\n");
  if (lines.pop() !== "" || lines.length === 0) throw malformed("it does not end with a line of a signature");
  if (lines.length > MAX_SIGNATURES) {
    throw malformed(`it has ${lines.length} signatures; the limit is ${MAX_SIGNATURES}`);
  }
  return { text: note.slice(0, end + 1), signatures: lines.map(parseSignature) };
}

function decodedNote(bytes: Uint8Array): string {
  if (bytes.length > MAX_NOTE_BYTES) throw malformed(`it has more than ${MAX_NOTE_BYTES} bytes`);
  let note: string;
  try {
    note = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed("it is not UTF-8");
  }
  if (hasControlCharacter(note)) throw malformed("it has control characters");
  return note;
}

function parseSignature(line: string, at: number): Signature {
  const [dash, name = "", data = "", ...more] = line.split(" ");
  const bytes = base64Bytes(data);
  if (dash !== DASH || more.length > 0 || !isKeyName(name) || bytes === undefined || bytes.length <= ID_BYTES) {
    throw malformed(`its signature line ${at + 1} is ${printable(JSON.stringify(line))}`);
  }
  return { name, id: hexadecimal(bytes.subarray(0, ID_BYTES)), bytes: bytes.slice(ID_BYTES) };
}

function malformed(message: string): LogError {
  return new LogError("log_malformed", `the text is not a signed note: ${message}`);
}

function typedKey(key: Uint8Array): Uint8Array<ArrayBuffer> {
  return joined(Uint8Array.of(ED25519), key);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function hexadecimal(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

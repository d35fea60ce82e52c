/**
 * Signs notes with Ed25519 keys in Go's form, by node:crypto: only the publisher needs it. A private key never appears in
 * a message.
 */
import { createPrivateKey, createPublicKey, hash, type KeyObject, randomBytes, sign } from "node:crypto";
import { base64Text } from "../values/base64.ts";
import { LogError } from "./log-error.ts";
import { DASH, idInput, KEY_BYTES, keyParts, MAX_SIGNATURES, type Verifier } from "./note.ts";

export interface Signer {
  readonly verifier: Verifier;
  /** Returns the 64 bytes of the signature. */
  readonly sign: (text: string) => Buffer;
}

const PREFIX = "PRIVATE+KEY+";
/** The bytes before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/** Returns a new private key, `PRIVATE+KEY+NAME+ID+DATA`, that `parseSigner` parses. `name` is a key name. */
export function newPrivateKey(name: string): string {
  const seed = randomBytes(KEY_BYTES);
  const { id } = verifierOf(name, keyOf(seed));
  return `${PREFIX}${name}+${id}+${base64Text(Buffer.concat([Uint8Array.of(1), seed]))}`;
}

/** Parses `PRIVATE+KEY+NAME+ID+DATA`. Throws `log_key_invalid`. */
export function parseSigner(text: string): Signer {
  if (!text.startsWith(PREFIX)) {
    throw new LogError("log_key_invalid", "the key does not have the form PRIVATE+KEY+NAME+ID+DATA");
  }
  const { name, id, key: seed } = keyParts(text.slice(PREFIX.length));
  const key = keyOf(seed);
  const verifier = verifierOf(name, key);
  if (verifier.id !== id) {
    throw new LogError("log_key_invalid", `the key's id is ${id}, but its name and its bytes give ${verifier.id}`);
  }
  return { verifier, sign: (text) => sign(null, Buffer.from(text), key) };
}

/**
 * Returns the note of a text with a signature by each signer, in their order. The text ends with a newline, and one to a
 * hundred keys sign it.
 */
export function signNote(text: string, signers: readonly Signer[]): string {
  if (!text.endsWith("\n") || signers.length === 0 || signers.length > MAX_SIGNATURES) {
    throw new RangeError(`a text without a newline at its end, or ${signers.length} signers`);
  }
  const lines = signers.map(({ verifier: { name, id }, sign }) => {
    return `${DASH} ${name} ${base64Text(Buffer.concat([Buffer.from(id, "hex"), sign(text)]))}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

function keyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
}

function verifierOf(name: string, key: KeyObject): Verifier {
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  const publicKey = new Uint8Array(Buffer.from(x, "base64url"));
  return { name, id: hash("sha256", idInput(name, publicKey)).slice(0, 8), publicKey };
}

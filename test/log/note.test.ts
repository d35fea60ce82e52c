// Signed notes and keys, as signed-note requires them.
import { expect, test } from "vitest";
import { openNote, parseVerifierKey, type Verifier, verifierKey } from "../../src/log/note.ts";
import { newPrivateKey, parseSigner, signNote } from "../../src/log/signer.ts";
import { newSigner } from "./support/published-log.ts";

const TEXT = "a text\n\nof three lines\n";
const signer = newSigner();
const key = signer.verifier;
const other = newSigner().verifier;
const note = signNote(TEXT, [signer]);
const lineOf = (name: string, bytes: Uint8Array) => `— ${name} ${Buffer.from(bytes).toString("base64")}\n`;
const signature = Buffer.from(note.trim().split(" ").at(-1) ?? "", "base64");

const open = (text: string | Uint8Array, known: readonly Verifier[] = [key]) =>
  openNote(Buffer.from(text as string), known);
const coded = (code: string) => expect.objectContaining({ name: "LogError", code });

test("a note is opened by the key that signed it, also beside unknown keys", async () => {
  expect(await open(note)).toEqual({ text: TEXT, signedBy: [key] });
  expect(await open(note, [other, key])).toEqual({ text: TEXT, signedBy: [key] });
  expect(note).toBe(`${TEXT}\n${lineOf(key.name, signature)}`);
});

test("during a rotation two keys of one name sign, and a reader needs one of them", async () => {
  const [old, next] = [newSigner(), newSigner()];
  const both = signNote(TEXT, [old, next]);
  expect((await open(both, [old.verifier])).signedBy).toEqual([old.verifier]);
  expect((await open(both, [next.verifier])).signedBy).toEqual([next.verifier]);
  expect((await open(both, [next.verifier, old.verifier])).signedBy.length).toBe(2);
});

test.each([
  ["another name with the same id", lineOf("other.example", signature)],
  ["the same name with another id", lineOf(key.name, Buffer.concat([Buffer.alloc(4), signature.subarray(4)]))],
  ["a kind of signature that is longer", lineOf(key.name, Buffer.alloc(2_420, 3))],
])("a signature with %s is ignored", async (_, line) => {
  await expect(open(`${TEXT}\n${line}`)).rejects.toThrow(coded("log_unsigned"));
  expect(await open(`${note}${line}`)).toMatchObject({ signedBy: [key] });
});

test.each([
  ["a changed text", note.replace("three", "four"), "log_unsigned"],
  [
    "a changed signature",
    `${TEXT}\n${lineOf(
      key.name,
      signature.map((byte, at) => (at === 20 ? byte ^ 1 : byte)),
    )}`,
    "log_unsigned",
  ],
  ["a signature cut short", `${TEXT}\n${lineOf(key.name, signature.subarray(0, 40))}`, "log_unsigned"],
  [
    "a wrong signature before the right one",
    `${TEXT}\n${lineOf(key.name, Buffer.concat([signature.subarray(0, 4), Buffer.alloc(64)]))}${note.slice(-lineOf(key.name, signature).length)}`,
    "log_unsigned",
  ],
  ["no signature", `${TEXT}\n`, "log_malformed"],
  ["no empty line", "text\n", "log_malformed"],
  ["no newline at its end", note.trimEnd(), "log_malformed"],
  ["a carriage return", note.replaceAll("\n", "\r\n"), "log_malformed"],
  ["a zero byte", note.replace("three", "\0"), "log_malformed"],
  ["a hyphen instead of a dash", note.replace("—", "-"), "log_malformed"],
  ["a plus in a name", `${note}${lineOf("a+b", signature)}`, "log_malformed"],
  ["a no-break space in a name", `${note}${lineOf("a\u00a0b", signature)}`, "log_malformed"],
  ["a next-line character in a name", `${note}${lineOf("a\u0085b", signature)}`, "log_malformed"],
  ["a signature without bytes after the id", `${note}${lineOf("a", signature.subarray(0, 4))}`, "log_malformed"],
  ["base64 that is none", `${note}— a b*==\n`, "log_malformed"],
  ["a third word", `${note}${lineOf("a", signature).replace("\n", " x\n")}`, "log_malformed"],
  ["two signatures and no newline at its end", (note + lineOf("a", signature)).trimEnd(), "log_malformed"],
  ["nothing", "", "log_malformed"],
])("a note with %s is refused", async (_, text, code) => {
  await expect(open(text)).rejects.toThrow(coded(code));
});

test("bytes that are not UTF-8 are refused", async () => {
  const bytes = Buffer.from(note);
  bytes[0] = 0xff;
  await expect(open(bytes)).rejects.toThrow(coded("log_malformed"));
});

test("a note may have 100 signatures, and a note with more is refused before any is checked", async () => {
  const lines = (count: number) => lineOf("cosigner.example", signature).repeat(count);
  expect(await open(note + lines(99))).toMatchObject({ signedBy: [key] });
  await expect(open(note + lines(100))).rejects.toThrow("it has 101 signatures; the limit is 100");
  await expect(open(note + lines(1_000))).rejects.toThrow(coded("log_malformed"));
  await expect(open("x".repeat(2 ** 20 + 1))).rejects.toThrow("it has more than 1048576 bytes");
});

test("a private key gives the public key of RFC 8032's first example", async () => {
  const seed = Buffer.from("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "hex");
  const data = Buffer.concat([Uint8Array.of(1), seed]).toString("base64");
  const wrong = `PRIVATE+KEY+k+00000000+${data}`;
  expect(() => parseSigner(wrong)).toThrow(coded("log_key_invalid"));
  const [, id] = /give ([0-9a-f]{8})$/.exec(messageOf(() => parseSigner(wrong))) ?? [];
  const { verifier } = parseSigner(`PRIVATE+KEY+k+${id}+${data}`);
  expect(Buffer.from(verifier.publicKey).toString("hex")).toBe(
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
  );
});

test("a verifier key is parsed as it was written, in either letter case of its id", async () => {
  const text = verifierKey(key);
  expect(text).toBe(`${key.name}+${key.id}+${Buffer.concat([Uint8Array.of(1), key.publicKey]).toString("base64")}`);
  expect(await parseVerifierKey(text)).toEqual(key);
  expect(await parseVerifierKey(text.replace(key.id, key.id.toUpperCase()))).toEqual(key);
});

const data = (type: number, length: number) =>
  Buffer.concat([Uint8Array.of(type), Buffer.alloc(length)]).toString("base64");

test.each([
  ["nothing", "", "the key does not have the form NAME+ID+DATA"],
  ["a name only", "a", "the key does not have the form NAME+ID+DATA"],
  ["no name", `+00000000+${data(1, 32)}`, "the key does not have the form NAME+ID+DATA"],
  ["a name with a space", `a b+00000000+${data(1, 32)}`, "the key does not have the form NAME+ID+DATA"],
  ["a name with a control character", `a\u0001+00000000+${data(1, 32)}`, "the key does not have the form"],
  ["a name with half a character", `a\ud800+00000000+${data(1, 32)}`, "the key does not have the form"],
  ["a short id", `a+0+${data(1, 32)}`, "the id of the key a is not 8 hexadecimal digits"],
  ["broken base64", "a+00000000+x", "the data of the key a is not base64"],
  ["another type", `a+00000000+${data(2, 32)}`, "the key a is not an Ed25519 key of the type 1"],
  ["a short key", `a+00000000+${data(1, 31)}`, "the key a has 31 bytes, not 32"],
  ["the id of another name", `a+00000000+${data(1, 32)}`, "the key's id is 00000000, but its name and its bytes give"],
  ["a private key", newPrivateKey("a"), "the key is a private key: readers need the verifier key"],
])("a verifier key with %s is refused", async (_, text, message) => {
  await expect(parseVerifierKey(text)).rejects.toThrow(coded("log_key_invalid"));
  await expect(parseVerifierKey(text)).rejects.toThrow(message);
});

test("no message about a private key contains the key", () => {
  const secret = newPrivateKey("a");
  const broken = [secret.replace("+", "-"), secret.slice(0, -1), secret.replace("a+", "b+"), `${secret}=`];
  for (const text of broken) {
    expect(() => parseSigner(text)).toThrow(coded("log_key_invalid"));
    expect(messageOf(() => parseSigner(text))).not.toContain(secret.slice(-44, -2));
  }
});

test("a text without a newline, and a text that nobody signs, is not written", () => {
  expect(() => signNote("text", [signer])).toThrow(RangeError);
  expect(() => signNote("text\n", [])).toThrow(RangeError);
});

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
}

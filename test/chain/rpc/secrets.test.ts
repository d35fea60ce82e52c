// A node's text is truncated, cleaned and freed of keys before it is shown.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Secrets } from "../../../src/chain/rpc/secrets.ts";
import { SHOWN_CHARACTERS } from "../../../src/values/printable.ts";
import { anyCharacter } from "../../support/random.ts";

const ADDRESS = "https://Operator:Hunter2%21@node.example/v2/C0ffee-Secret-Key?token=Another%20Secret";

describe("keys are removed however a node echoes them", () => {
  const secrets = new Secrets([ADDRESS]);
  const encodings: Record<string, (secret: string) => string> = {
    unchanged: (secret) => secret,
    "in lower case": (secret) => secret.toLowerCase(),
    "in upper case": (secret) => secret.toUpperCase(),
    "percent-encoded where necessary": encodeURIComponent,
    "percent-encoded twice": (secret) => encodeURIComponent(encodeURIComponent(secret)),
    "percent-encoded whole": (secret) => [...Buffer.from(secret)].map((byte) => `%${byte.toString(16)}`).join(""),
    "as JSON escapes": (secret) =>
      [...secret].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  };
  for (const [how, encode] of Object.entries(encodings)) {
    test.each(["Operator", "Hunter2!", "C0ffee-Secret-Key", "Another Secret"])(`${how}: %s`, (secret) => {
      expect(secrets.clean(`no project ${encode(secret)} here`)).toBe("no project … here");
    });
  }

  test("a Basic header, with and without padding, in both alphabets", () => {
    const basic = Buffer.from("Operator:Hunter2!").toString("base64");
    for (const echoed of [basic, basic.replace(/=+$/, ""), Buffer.from("Operator:Hunter2!").toString("base64url")]) {
      const shown = secrets.clean(`bad authorization: Basic ${echoed}`);
      expect(shown).toMatch(/^bad authorization: Basic …=*$/);
    }
    expect(secrets.clean(Buffer.from("C0ffee-Secret-Key").toString("base64"))).toMatch(/^…=*$/);
  });

  test("keys of all addresses, wherever the text is truncated", () => {
    const both = new Secrets([ADDRESS, "https://other.example/0123456789abcdef"]);
    fc.assert(
      fc.property(fc.nat(9_000), fc.constantFrom("0123456789ABCDEF", "%430ffee-secret-key"), (before, secret) => {
        const shown = both.clean("x".repeat(before) + secret.repeat(600));
        expect(shown).not.toMatch(/[0-9a-f]{6}|ffee/i);
      }),
    );
  });
});

test("any text becomes one line of bounded length", () => {
  const secrets = new Secrets([]);
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 2_000 }), (text) => {
      const shown = secrets.clean(text);
      expect(shown.length).toBeLessThanOrEqual(7 * SHOWN_CHARACTERS);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
  expect(secrets.clean("\u001b[2Jgone\u0007\r\nand \u202ehidden")).toBe("\\u001b[2Jgone\\u0007 and \\u202ehidden");
  expect(new Secrets([ADDRESS]).clean("a".repeat(5_000_000))).toMatch(/^a{300}… \(\d+ characters\)$/);
});

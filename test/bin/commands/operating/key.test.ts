// noonmark key: the file of a log's key, and who may read it.
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { verifierKey } from "../../../../src/log/note.ts";
import { newPrivateKey, parseSigner } from "../../../../src/log/signer.ts";
import { runCli } from "../../../support/cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const keyFile = (text: string, mode = 0o600): string => {
  const path = join(folder, "a.key");
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};

test("key generate writes a key that only its owner can read, and prints the verifier key; key show prints it again", async () => {
  const made = await runCli(["key", "generate", "wheel.example.org/a"], folder);
  expect(made).toMatchObject({ exitCode: 0, stderr: "" });
  const path = join(folder, "log.key");
  const text = readFileSync(path, "utf8");
  expect(text).toMatch(/^PRIVATE\+KEY\+wheel\.example\.org\/a\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}\n$/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(made.stdout).toBe(`${verifierKey(parseSigner(text.trim()).verifier)}\n`);
  expect(await runCli(["key", "show", "log.key"], folder)).toEqual(made);
});

test("an existing file is never overwritten", async () => {
  const path = keyFile("something else\n");
  const { exitCode, stderr } = await runCli(["key", "generate", "wheel.example.org", "--out", path], folder);
  expect(exitCode).toBe(74);
  expect(stderr).toContain(`noonmark: file_unwritable: ${path} already exists, and was not changed\n`);
  expect(readFileSync(path, "utf8")).toBe("something else\n");
});

test.each(["", "https://wheel.example.org", "a+b"])("%j is not the name of a new key", async (name) => {
  const { exitCode, stderr } = await runCli(["key", "generate", name], folder);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`noonmark: usage: ${JSON.stringify(name)} is not a name for a key\n`);
});

test.each([0o640, 0o606])("a key file with mode %o is refused with the command that repairs it", async (mode) => {
  const path = keyFile(`${newPrivateKey("a")}\n`, mode);
  const { exitCode, stdout, stderr } = await runCli(["key", "show", path], folder);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(
    `noonmark: file_exposed: other users may use the key in ${path}: its mode is 0${mode.toString(8)}\n`,
  );
  expect(stderr).toContain(`Run: chmod 600 ${path}.`);
});

test("a file with the old and the new key shows both", async () => {
  const keys = [newPrivateKey("a"), newPrivateKey("a")];
  const path = keyFile(`${keys.join("\n")}\n`);
  const { stdout } = await runCli(["key", "show", path], folder);
  expect(stdout).toBe(keys.map((key) => `${verifierKey(parseSigner(key).verifier)}\n`).join(""));
});

const KEY = newPrivateKey("a");

test.each([
  ["nothing", "", "holds no key"],
  ["a verifier key", verifierKey(parseSigner(KEY).verifier), "line 1 of"],
  ["half a key", KEY.slice(0, 40), "line 1 of"],
  ["a broken second key", `${KEY}\n${KEY.replace("a+", "b+")}\n`, "line 2 of"],
  ["keys of two names", `${KEY}\n${newPrivateKey("b")}\n`, "holds keys of two names, a and b"],
  ["one key twice", `${KEY}\n${KEY}\n`, "twice"],
])("a key file that holds %s is refused, and no message shows a private key", async (_, text, message) => {
  const { exitCode, stderr } = await runCli(["key", "show", keyFile(text)], folder);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("noonmark: log_key_invalid: ");
  expect(stderr).toContain(message);
  expect(stderr).not.toContain(KEY.slice(-20));
});

test.each([
  ["missing", "no-such-file"],
  ["a directory", "."],
  ["a device", "/dev/zero"],
])("a key file that is %s cannot be read", async (_, path) => {
  const { exitCode, stderr } = await runCli(["key", "show", path], folder);
  expect(exitCode).toBe(74);
  expect(stderr).toContain(`noonmark: file_unreadable: the key file ${path} cannot be read (`);
});

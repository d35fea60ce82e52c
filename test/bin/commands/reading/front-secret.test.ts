// The secret that fronts and shim share: its sources, and where it must not appear.
import { chmodSync, lstatSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../../support/cli.ts";
import { sharedFolder } from "../../../support/test-folder.ts";

const SECRET = "0123456789abcdef-secret";
const root = sharedFolder();
const scratch = () => mkdtempSync(join(root, "s-"));

function secretFile(): string {
  const path = join(scratch(), "secret");
  writeFileSync(path, `${SECRET}\n`, { mode: 0o600 });
  return path;
}

test("a world-readable file or symbolic link is replaced by a file that only its owner can read", async () => {
  const [out, elsewhere] = [scratch(), join(scratch(), "linked")];
  writeFileSync(join(out, "noonmark.conf"), "old", { mode: 0o644 });
  chmodSync(join(out, "noonmark.conf"), 0o644);
  writeFileSync(elsewhere, "not ours");
  symlinkSync(elsewhere, join(out, "noonmark.js"));
  const { exitCode, stderr } = await runCli(["cdn", "nginx", "--front-secret-file", secretFile(), "--out", out], out);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(readFileSync(join(out, "noonmark.conf"), "utf8")).toContain(SECRET);
  for (const name of ["noonmark.conf", "noonmark.js"]) {
    expect(lstatSync(join(out, name)).isFile()).toBe(true);
    expect(statSync(join(out, name)).mode & 0o777).toBe(0o600);
  }
  expect(readFileSync(elsewhere, "utf8")).toBe("not ours");
});

test("Varnish's file with a secret can be read by its group, and by nobody else", async () => {
  const out = scratch();
  await runCli(["cdn", "varnish", "--front-secret-file", secretFile(), "--out", out], out);
  expect(readFileSync(join(out, "default.vcl"), "utf8")).toContain(SECRET);
  expect(statSync(join(out, "default.vcl")).mode & 0o777).toBe(0o640);
});

test("a secret in a flag causes a warning that names the variable", async () => {
  const out = scratch();
  const { exitCode, stderr } = await runCli(["cdn", "nginx", "--front-secret", SECRET, "--out", out], out);
  expect(exitCode).toBe(0);
  expect(stderr).toBe(
    "noonmark: warning: secret_in_arguments: --front-secret shows the secret to every user of this machine, in the process list\n" +
      "  Set NOONMARK_FRONTS instead, or give --front-secret-file FILE.\n",
  );
});

test.each([
  ["is missing", () => join(root, "missing"), 74, "file_unreadable"],
  ["is a device", () => "/dev/zero", 74, "file_unreadable"],
  ["is empty", () => "/dev/null", 74, "file_unreadable"],
  [
    "contains no secret",
    () => {
      const path = join(scratch(), "short");
      writeFileSync(path, "short\n");
      return path;
    },
    2,
    "invalid_setting",
  ],
])("a secret file that %s is an error", async (_, file, exitCode, code) => {
  const finished = await runCli(["cdn", "varnish", "--front-secret-file", file(), "--out", scratch()], root);
  expect(finished.exitCode).toBe(exitCode);
  expect(finished.stderr).toContain(`noonmark: ${code}: `);
});

/** `noonmark cdn` rejects values that nginx would reject later with a message about generated lines. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { runCli } from "../../../support/cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

let directory: string;
beforeEach(() => {
  directory = testFolder();
});

const nginx = (...options: string[]) => runCli(["cdn", "nginx", ...options], directory);
const written = (path: string) => readFileSync(path, "utf8");

test.each([
  ["--listen", "banana"],
  ["--listen", "127.0.0.1:99999"],
  ["--listen", "80; return 404"],
  ["--listen", ""],
  ["--socket", "/run/a b.sock"],
  ["--cache", "/var/cache;"],
  ["--trusted", "$HOME/ca.crt"],
  ["--out", "/tmp/a b"],
])("%s %j is rejected, and nothing is written", async (option, given) => {
  const refused = await nginx(option, given);
  expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
  expect(refused.stderr).toMatch(/^noonmark: invalid_setting: --\w+ ".*" is .*\n {2}Give one as in --\w+ \/?\S+\n$/);
  expect(refused.stderr).toContain(JSON.stringify(given));
  expect(readdirSync(directory)).toEqual([]);
});

test.each(["80", "127.0.0.1:8081", "[::]:443", "*:80", "localhost", "unix:/run/n.sock", "80 default_server reuseport"])(
  "--listen %j is written unchanged",
  async (given) => {
    expect(await nginx("--listen", given, "--out", "out")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(written(join(directory, "out/noonmark.conf"))).toContain(`  listen ${given};\n`);
  },
);

test("an absolute --out gives an absolute import, and a relative one a name relative to nginx.conf", async () => {
  await nginx("--out", join(directory, "absolute"));
  expect(written(join(directory, "absolute/noonmark.conf"))).toContain(
    `js_import noonmark from ${directory}/absolute/noonmark.js;\n`,
  );
  await nginx("--out", "relative");
  expect(written(join(directory, "relative/noonmark.conf"))).toContain("js_import noonmark from noonmark.js;\n");
});

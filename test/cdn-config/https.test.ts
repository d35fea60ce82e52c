/** Which fronts use https to their origins, by the command-line options. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../support/cli.ts";
import { sharedFolder } from "../support/test-folder.ts";

const folder = sharedFolder();

test.each([
  ["--shim", "https://shim.example"],
  ["--bucket", "https://store.example/bucket/"],
])("Varnish supports only plain HTTP: %s %s is rejected, and nothing is written", async (option, url) => {
  const { exitCode, stderr } = await runCli(["cdn", "varnish", option, url], folder);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`https_unsupported: varnish speaks plain HTTP`)]);
  expect(stderr).toContain(`${option} ${new URL(url).origin} `);
  expect(existsSync(join(folder, "cdn-config"))).toBe(false);
});

test("nginx uses https for https origins, and checks certificates against the given file", async () => {
  const origins = ["--shim", "https://shim.example", "--bucket", "http://store.example:8080/bucket/"];
  const { exitCode } = await runCli(["cdn", "nginx", "--out", ".", "--trusted", "/some.pem", ...origins], folder);
  expect(exitCode).toBe(0);
  const file = readFileSync(join(folder, "noonmark.conf"), "utf8");
  expect(file).toContain("server shim.example:443;");
  expect(file).toContain("proxy_set_header Host shim.example;");
  expect(file).toContain("proxy_ssl_trusted_certificate /some.pem;");
  expect(file).toContain("proxy_pass http://noonmark_bucket/bucket/;");
  expect(file).not.toContain("http://noonmark_shim");
  expect(file.match(/proxy_pass https:/g)).toHaveLength(file.match(/proxy_ssl_name shim\.example;/g)?.length ?? 0);
  expect(file.match(/proxy_ssl_verify on;/g)).toHaveLength(2);
});

/** Operators do not need to know the S3 library: no message names it. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runCli } from "../../../support/cli.ts";
import { type LocalServer, localServer } from "../../../support/local-server.ts";
import { testFolder } from "../../../support/test-folder.ts";

const ROOT = new URL("../../../../", import.meta.url).pathname;
const LIBRARY = /@aws-sdk|@smithy|\bSDK\b|CredentialsProvider|UnknownError/;

let folder: string;
let server: LocalServer;

beforeEach(async () => {
  folder = testFolder();
  server = await localServer((request, response) => {
    request.resume();
    response.writeHead(404, { "content-type": "application/xml" });
    response.end(`<?xml version="1.0"?><Error><Code>NoSuchBucket</Code><Message>gone</Message></Error>`);
  });
  for (const name of Object.keys(process.env)) if (name.startsWith("AWS_")) vi.stubEnv(name, undefined);
  vi.stubEnv("HOME", folder);
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
});

afterEach(() => {
  vi.unstubAllEnvs();
  return server.stop();
});

function restore() {
  return runCli(["ledger", "restore", "s3://bucket/p", "--ledger", "new.db", "--s3-endpoint", server.url], folder);
}

test("missing credentials are reported with the settings to set", async () => {
  const { exitCode, stdout, stderr } = await restore();
  expect({ exitCode, stderr }).toEqual({
    exitCode: 74,
    stderr:
      "noonmark: store_unavailable: get s3://bucket/p/private/head.json: no credentials were found\n" +
      "  Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run under a role.\n",
  });
  expect(stdout + stderr).not.toMatch(LIBRARY);
});

test("the library's warning about a profile and a key is suppressed", async () => {
  mkdirSync(join(folder, ".aws"));
  writeFileSync(join(folder, ".aws/credentials"), "[own]\naws_access_key_id=a\naws_secret_access_key=b\n");
  vi.stubEnv("AWS_PROFILE", "own");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "c");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "d");
  const { stdout, stderr } = await restore();
  expect(stderr).toContain("404 NoSuchBucket");
  expect(stdout + stderr).not.toMatch(LIBRARY);
});

test("only imports name the library in the sources", () => {
  const named = ["src", "publish", "bin"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(?:ts|js)$/.test(file))
      .flatMap((file) => readFileSync(join(ROOT, folder, file), "utf8").split("\n"))
      .filter((line) => line.includes("@aws-sdk") && !/(?:from |import\()"@aws-sdk\/[\w-]+"/.test(line)),
  );
  expect(named).toEqual([]);
});

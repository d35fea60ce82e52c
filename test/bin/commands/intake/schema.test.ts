/** `noonmark schema` and `ingest --example`, as the author of an exporter uses them. */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { SETTINGS } from "../../../../bin/cli/settings/settings.ts";
import { SCHEMAS } from "../../../../bin/commands/intake/schema.ts";
import { fenced } from "../../../docs/markdown.ts";
import { runCli } from "../../../support/cli.ts";

const run = (...arguments_: string[]) => runCli(arguments_, tmpdir());

function validator(name: string) {
  return new Ajv2020({ strict: true }).compile(SCHEMAS[name]?.() ?? false);
}

test("a record type's schema accepts its example", async () => {
  const [schema, example] = await Promise.all([run("schema", "receipt"), run("ingest", "--example", "receipt")]);
  expect([schema.exitCode, schema.stderr, example.exitCode, example.stderr]).toEqual([0, "", 0, ""]);
  const validate = new Ajv2020({ strict: true }).compile(JSON.parse(schema.stdout));
  const line = JSON.parse(example.stdout);
  expect(validate(line)).toBe(true);
  expect(validate({ ...line, sequence: "12" })).toBe(false);
});

test("an unknown type is a usage error that names the nearest type", async () => {
  expect(await run("schema", "reciept")).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringMatching(
      /^noonmark: unknown_name: there is no "reciept"; did you mean receipt\?\n {2}Name one of intake, deployment, config, receipt, /,
    ),
  });
  expect((await run("ingest", "--example", "Rounds")).stderr).toContain('there is no "Rounds"; did you mean round?');
  expect(await run("ingest")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("missing_argument") });
});

test("the deployment schema accepts the specification's example and detects mistakes", () => {
  const [text = ""] = fenced(readFileSync(new URL("../../../../docs/spec/chain.md", import.meta.url), "utf8"), "json");
  const example = JSON.parse(text);
  const validate = validator("deployment");
  expect(validate(example)).toBe(true);
  for (const wrong of [
    { chainId: "1" },
    { factory: "0x12" },
    { streamId: "0x" },
    { deploymentBlock: -1 },
    { extra: 1 },
  ]) {
    expect(validate({ ...example, ...wrong }), JSON.stringify(wrong)).toBe(false);
  }
});

test("in the configuration schema all settings are optional, and it detects mistakes", () => {
  const validate = validator("config");
  const right = {
    installationId: "wheel-1",
    port: 8787,
    site: true,
    publicUrl: "https://wheel.example",
    genesisTimestamp: 1200,
  };
  expect(validate(right)).toBe(true);
  expect(validate({})).toBe(true);
  for (const wrong of [
    { installationId: ".." },
    { port: 65536 },
    { explorerUrl: "http://a.example" },
    { genesisTimestamp: 7 },
    { prot: 1 },
    { logLevel: "loud" },
  ]) {
    expect(validate(wrong), JSON.stringify(wrong)).toBe(false);
  }
});

test("the configuration schema accepts the same values as the program", () => {
  const validate = validator("config");
  const values = [
    true,
    false,
    0,
    1,
    -1,
    1.5,
    600,
    70_000,
    null,
    [],
    {},
    "",
    "x",
    "true",
    "false",
    "1",
    "0",
    "yes",
    "..",
    "a/b",
    "none",
    "any",
    "aws",
    "info",
    "loud",
    "x".repeat(200),
    "s".repeat(16),
    "s3://bucket",
    "s3://bucket/a/b",
    "s3:/bucket",
    "s3://B",
    "./s3:",
    "a/b",
    "127.0.0.1",
    "127.0.0.256",
    "::1",
    "[::1]",
    "shim.internal",
    "http://a.example",
    "https://a.example/",
    "ftp://a.example",
    "http://a.example,https://b.example",
    "http://a.example,b",
  ];
  const differing = Object.entries(SETTINGS).flatMap(([name, { schema }]) =>
    values
      // Numbers as text are only for variables and flags. In the file they must be numbers.
      .filter((value) => typeof value !== "string" || ![1, 1200].some((one) => schema.safeParse(one).success))
      .filter((value) => validate({ [name]: value }) !== schema.safeParse(value).success)
      .map((value) => `${name} ${JSON.stringify(value)}`),
  );
  expect(differing).toEqual([]);
});

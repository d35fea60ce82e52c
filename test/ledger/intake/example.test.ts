/** The record schema of the package and `ingest --example`, as the author of an exporter uses them. */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { runCli } from "../../support/cli.ts";

const run = (...arguments_: string[]) => runCli(arguments_, tmpdir());

test("the package's record schema accepts an example", async () => {
  const schema = readFileSync(join(import.meta.dirname, "../../../docs/records.schema.json"), "utf8");
  const example = await run("ingest", "--example", "receipt");
  expect([example.exitCode, example.stderr]).toEqual([0, ""]);
  const validate = new Ajv2020({ strict: true }).compile(JSON.parse(schema));
  const line = JSON.parse(example.stdout);
  expect(validate(line)).toBe(true);
  expect(validate({ ...line, sequence: "12" })).toBe(false);
});

test("an unknown type is a usage error that names the types", async () => {
  expect(await run("ingest", "--example", "reciept")).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringMatching(/^noonmark: usage: .* 'reciept' is invalid. Allowed choices are receipt, /),
  });
  expect(await run("ingest")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("usage") });
});

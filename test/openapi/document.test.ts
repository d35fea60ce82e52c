import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { getAddress } from "viem";
import { expect, test } from "vitest";
import { ENDPOINTS } from "../../src/client/generated/endpoints.ts";
import { packageVersion } from "../../src/files/package-file.ts";
import { documentText, openApiDocument, pathOf } from "../../src/openapi/document.ts";
import { OPERATIONS } from "../../src/resources/contracts.ts";

const document = openApiDocument({ version: packageVersion() });

test("redocly's recommended rules find no error", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const lint = async (text: string) =>
    (await lintFromString({ source: text, absoluteRef: "openapi.json", config }))
      .filter(({ severity }) => severity === "error")
      .map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
  expect(await lint(documentText(document))).toEqual([]);
  // The linter can fail.
  const broken = documentText(document).replace('"#/components/schemas/Telemetry"', '"#/components/schemas/Nothing"');
  expect(await lint(broken)).not.toEqual([]);
});

test("the OpenAPI Initiative's own schema finds no error", async () => {
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(documentText(document)))).toEqual({ valid: true });
  expect((await new Validator().validate({ ...JSON.parse(documentText(document)), paths: { x: {} } })).valid).toBe(
    false,
  );
});

test("every route is an operation, named like the client's method", () => {
  expect(Object.keys(document.paths)).toEqual(OPERATIONS.map(pathOf));
  expect(Object.keys(document.paths)).toContain("/log/{number}/checkpoint");
  const ids = OPERATIONS.map(({ contract }) => contract.operation);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(Object.keys(ENDPOINTS)));
});

test("docs/openapi.json has the program's version", () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  expect(document).toMatchObject({ info: { version } });
});

import examples from "../../src/openapi/generated/examples.json" with { type: "json" };

test("every address in the examples is checksummed", () => {
  const addresses = JSON.stringify(examples).match(/"0x[0-9a-fA-F]{40}"/g) ?? [];
  expect(addresses.length).toBeGreaterThan(0);
  for (const address of addresses) expect(address).toBe(`"${getAddress(JSON.parse(address))}"`);
});

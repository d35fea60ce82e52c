import { getAddress } from "viem";
import { expect, test } from "vitest";
import { ENDPOINTS } from "../../src/client/generated/endpoints.ts";
import { packageVersion } from "../../src/files/package-file.ts";
import { documentText, openApiDocument, pathOf } from "../../src/openapi/document.ts";
import { OPERATIONS } from "../../src/resources/contracts.ts";
import { fieldsOf } from "../../src/values/unknown.ts";
import { GOLDEN_BODIES } from "./golden-bodies.ts";

const document = openApiDocument({ version: packageVersion() });

test("every reference of the document leads to a part of it", () => {
  const lost = (text: string) =>
    [...text.matchAll(/"\$ref": ?"#\/([^"]+)"/g)]
      .map(([, path = ""]) => path)
      .filter(
        (path) => path.split("/").reduce<unknown>((part, name) => fieldsOf(part)[name], JSON.parse(text)) === undefined,
      );
  const text = documentText(document);
  expect(lost(text)).toEqual([]);
  expect(lost(text.replace('"#/components/schemas/Telemetry"', '"#/components/schemas/Nothing"'))).toHaveLength(1);
});

test("every route is an operation, named like the client's method", () => {
  expect(Object.keys(document.paths)).toEqual(OPERATIONS.map(pathOf));
  expect(Object.keys(document.paths)).toContain("/log/checkpoint");
  const ids = OPERATIONS.map(({ contract }) => contract.operation);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(Object.keys(ENDPOINTS)));
});

test("every address in golden bodies is checksummed", () => {
  const addresses = JSON.stringify(GOLDEN_BODIES).match(/"0x[0-9a-fA-F]{40}"/g) ?? [];
  expect(addresses.length).toBeGreaterThan(0);
  for (const address of addresses) expect(address).toBe(`"${getAddress(JSON.parse(address))}"`);
});

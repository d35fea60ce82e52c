/** Builds the OpenAPI 3.1 document from the table of routes and the schemas (docs/spec/people.md#openapi). */
import { OPERATIONS, type Operation as OperationRow } from "../resources/contracts.ts";
import { type Parameter, parametersOf } from "./parameters.ts";
import { HEADER_COMPONENTS, type Responses, responsesOf } from "./responses.ts";
import { type Components, schemaComponents } from "./schemas.ts";

const ABOUT = `Read-only JSON about one measuring installation and the settlement of its work on an EVM chain. No credentials and no
wallet; every operation is a GET. HEAD responds like GET without the body, OPTIONS responds with 204 on every path.

How to read a response (docs/spec/api.md#interpretation):

1. An accepted measurement is not settled work.
2. An optimistically completed block is neither a confirmed settlement nor a reward.
3. A safe settlement does not mean that its reward is minted.
4. Missing coverage and an unavailable view mean unknown: never zero work, never a failed settlement.
5. HTTP 200 may carry an unavailable part or envelope. That is data, not an error.
6. No amount is a claimable balance of a wallet.

Work, amounts and positions on the chain are decimal strings up to 78 digits: never read them as floats. Rules between
fields, which a schema cannot express, are in the descriptions with the section of docs/spec/api.md that states them.`;

const TAGS = [
  { name: "Measurement", description: "Measurements of the device, and those that were accepted." },
  { name: "Chain", description: "Settled work, read at a confirmation-safe height." },
  { name: "Files", description: "For monitors and generators of clients." },
] as const;

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: {
    readonly schemas: Components;
    readonly headers: typeof HEADER_COMPONENTS;
  };
  readonly [part: string]: unknown;
}

/** Serialises the document as it is published and printed. */
export function documentText(document: OpenApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** `version`: the program's. */
export function openApiDocument({ version }: { readonly version: string }): OpenApiDocument {
  return {
    openapi: "3.1.1",
    info: {
      title: "Public work, settlement and activity",
      version,
      description: ABOUT,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [],
    tags: TAGS,
    paths: Object.fromEntries(OPERATIONS.map((operation) => [pathOf(operation), { get: operationOf(operation) }])),
    components: { schemas: schemaComponents(), headers: HEADER_COMPONENTS },
  };
}

export function pathOf({ row, contract }: OperationRow): string {
  return contract.path ?? row.path;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Responses;
}

function operationOf({ row, contract }: OperationRow): Operation {
  const rules = contract.rules.map((rule, index) => `${index + 1}. ${rule}`);
  const parameters = parametersOf(row, contract);
  return {
    operationId: contract.operation,
    tags: [contract.tag],
    summary: contract.summary,
    description: [contract.description, rules.join("\n")].filter((part) => part !== "").join("\n\n"),
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: responsesOf(row, contract),
  };
}

/** The OpenAPI 3.1 document, made from the table of routes and the schemas (docs/spec/people.md#openapi). */
import { OPERATIONS } from "../resources/contracts.ts";
import { HEADER_COMPONENTS } from "./answers/headers.ts";
import { type Operation, operationOf } from "./operations.ts";
import { schemaComponents } from "./schemas/bodies.ts";
import type { Components } from "./schemas/json-schema.ts";
import { ABOUT, TAGS } from "./words-about.ts";

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: {
    readonly schemas: Components;
    readonly headers: typeof HEADER_COMPONENTS;
  };
  readonly [part: string]: unknown;
}

export interface Published {
  /** Of the program. */
  readonly version: string;
  /** The address that readers use; by default the host that serves the document. */
  readonly server?: string | undefined;
}

export function openApiDocument({ version, server }: Published): OpenApiDocument {
  return {
    openapi: "3.1.1",
    info: {
      title: "Public work, settlement and activity",
      version,
      description: ABOUT,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: server ?? "/" }],
    security: [],
    tags: TAGS,
    paths: Object.fromEntries(OPERATIONS.map((operation) => [operation.row.path, { get: operationOf(operation) }])),
    components: { schemas: schemaComponents(), headers: HEADER_COMPONENTS },
  };
}

/** One operation for each route and data file. */
import { ENDPOINTS } from "../client/endpoints.ts";
import { FILES, type NamedRow, ROUTES } from "../resources/table.ts";
import { type Responses, responsesOf } from "./answers/responses.ts";
import { type Parameter, parametersOf } from "./parameters.ts";
import { WORDS } from "./words.ts";

/** Files for programs; a page for people is no operation. */
const DATA_FILES = new Set(["openapi", "feed-json", "feed-atom", "badge", "publication-status"]);
/** Of the files that the client has no method for. */
const FILE_OPERATIONS: Readonly<Record<string, string>> = {
  openapi: "openapi",
  "feed-json": "jsonFeed",
  "feed-atom": "atomFeed",
  badge: "badge",
};

export const OPERATION_ROWS: readonly NamedRow[] = [...ROUTES, ...FILES.filter(({ name }) => DATA_FILES.has(name))];

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Responses;
}

/** The client's method name, where it has one. */
export function operationId({ name, path }: NamedRow): string {
  const [method] = Object.entries(ENDPOINTS).find(([, endpoint]) => samePath(endpoint.path, path)) ?? [];
  const id = method ?? FILE_OPERATIONS[name];
  if (id === undefined) throw new Error(`${name} has no operationId`);
  return id;
}

function samePath(one: string, other: string): boolean {
  return one.replace(/\{[^}]*\}/, "{}") === other.replace(/\{[^}]*\}/, "{}");
}

export function operationOf(row: NamedRow): Operation {
  const words = WORDS[row.name];
  if (words === undefined) throw new Error(`${row.name} is not described`);
  const rules = words.rules.map((rule, index) => `${index + 1}. ${rule}`);
  const parameters = parametersOf(row);
  return {
    operationId: operationId(row),
    tags: [words.tag],
    summary: words.summary,
    description: [words.says, rules.join("\n")].filter((part) => part !== "").join("\n\n"),
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: responsesOf(row),
  };
}

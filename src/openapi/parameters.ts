/** Parameters of a row, with their patterns (docs/spec/api.md#query). */

import { CATEGORIES } from "../resources/activity/keys.ts";
import { ACTIVITY_LIMIT } from "../resources/activity/page-query.ts";
import { OBSERVATIONS_LIMIT } from "../resources/observations/page-query.ts";
import type { NamedRoute, NamedRow } from "../resources/table.ts";
import { type JsonSchema, refTo } from "./schemas/json-schema.ts";
import { valueTypeOf } from "./schemas/values.ts";

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

const INSTALLATION_ID: Parameter = {
  name: "installationId",
  in: "path",
  required: true,
  description: "The id of an installation; one that is not known is answered too. `.` and `..` reach no server.",
  schema: { type: "string", pattern: "^(?!\\.{1,2}$)[A-Za-z0-9._:-]{1,128}$" },
};

const IF_NONE_MATCH: Parameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "Tags that the reader has, or `*`: a match, strong or weak, is a 304 (docs/spec/api.md#http 7).",
  schema: { type: "string" },
};

const limit = (of: typeof OBSERVATIONS_LIMIT | typeof ACTIVITY_LIMIT, description: string): Parameter => ({
  name: "limit",
  in: "query",
  required: false,
  description,
  schema: { type: "integer", ...of },
});
const cursor = (component: string): Parameter => ({
  name: "cursor",
  in: "query",
  required: false,
  description: "The nextCursor of the page before; the first page without one.",
  schema: refTo(component),
});

/** Of the routes that read their query themselves. */
const PAGES: Readonly<Record<string, readonly Parameter[]>> = {
  observations: [
    cursor("ObservationCursor"),
    limit(OBSERVATIONS_LIMIT, "Items of a page. Never rejected: an integer is clamped, all else is the default."),
  ],
  activity: [
    {
      name: "category",
      in: "query",
      required: false,
      description: "Which events.",
      schema: { ...oneOf(CATEGORIES), default: "all" },
    },
    limit(ACTIVITY_LIMIT, "Events of a page, in canonical decimal digits."),
    cursor("ActivityCursor"),
  ],
};

export function parametersOf(row: NamedRow): Parameter[] {
  return [
    ...(row.path.includes("{installationId}") ? [INSTALLATION_ID] : []),
    ...(row.kind === "route" ? queryOf(row) : []),
    ...(row.conditional ? [IF_NONE_MATCH] : []),
  ];
}

function queryOf(route: NamedRoute): readonly Parameter[] {
  if (route.query === "page") return PAGES[route.name] ?? [];
  return route.query === "exact" ? exactParameters(route) : [];
}

/** What the queries of the stored objects are made of: required is what each of them has. */
function exactParameters({ objects }: NamedRoute): Parameter[] {
  const queries = objects.map(({ query }) => new URLSearchParams(query));
  const names = [...new Set(queries.flatMap((query) => [...query.keys()]))];
  return names.map((name) => ({
    name,
    in: "query",
    required: queries.every((query) => query.has(name)),
    description: name === "queue" ? "Asks for the queue projection; beside range=now only." : "Which window.",
    schema: oneOf([...new Set(queries.flatMap((query) => query.getAll(name)))]),
  }));
}

/** The component with these values if a body has it too. */
function oneOf(values: readonly string[]): JsonSchema {
  const schema = { type: "string", enum: values };
  const component = valueTypeOf(schema);
  return component === undefined ? schema : refTo(component);
}

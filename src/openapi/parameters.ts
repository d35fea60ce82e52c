/** The parameters of a row, with their patterns (docs/spec/api.md#query). */

import type { Contract, ParameterContract } from "../resources/contract.ts";
import type { NamedRow } from "../resources/table.ts";
import { NAMEABLE_ID } from "../values/installation-id.ts";
import { type JsonSchema, refTo, valueTypeOf } from "./schemas.ts";

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
  description:
    "The id of an installation; an unknown id is valid, too. Clients resolve `.` and `..` before they send them.",
  schema: { type: "string", pattern: NAMEABLE_ID.source },
};

const LOG_NUMBER: Parameter = {
  name: "number",
  in: "path",
  required: true,
  description: "The number of the log; status.json has the current one.",
  schema: { type: "string", pattern: "^[1-9][0-9]{0,8}$" },
};

const IF_NONE_MATCH: Parameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The reader's tags, or `*`. A strong or weak match gives 304 (docs/spec/api.md#http 7).",
  schema: { type: "string" },
};

export function parametersOf(row: NamedRow, contract: Contract): Parameter[] {
  return [
    ...(row.path.includes("{installationId}") ? [INSTALLATION_ID] : []),
    ...(contract.path?.includes("{number}") ? [LOG_NUMBER] : []),
    ...(row.query === "listed"
      ? exactParameters(row)
      : (contract.parameters ?? []).map((one) => parameterOf(one, contract))),
    ...(row.conditional ? [IF_NONE_MATCH] : []),
  ];
}

function parameterOf({ name, description, form }: ParameterContract, { cursor }: Contract): Parameter {
  return { name, in: "query", required: false, description, schema: schemaOf(form, cursor) };
}

function schemaOf(form: ParameterContract["form"], cursor: Contract["cursor"]): JsonSchema {
  if (form === "cursor") return refTo(cursor?.name ?? "");
  return form.type === "string" ? { ...oneOf(form.enum), default: form.default } : form;
}

/** Returns the parameters in the queries of stored objects. A parameter that every query has is required. */
function exactParameters({ objects }: NamedRow): Parameter[] {
  const queries = objects.map(({ query }) => new URLSearchParams(query));
  const names = [...new Set(queries.flatMap((query) => [...query.keys()]))];
  return names.map((name) => ({
    name,
    in: "query",
    required: queries.every((query) => query.has(name)),
    description: name === "queue" ? "Requests the queue projection; only with range=now." : "Which window.",
    schema: oneOf([...new Set(queries.flatMap((query) => query.getAll(name)))]),
  }));
}

/** Returns a reference if a component has these values, else an inline schema. */
function oneOf(values: readonly string[]): JsonSchema {
  const schema = { type: "string", enum: values };
  const component = valueTypeOf(schema);
  return component === undefined ? schema : refTo(component);
}

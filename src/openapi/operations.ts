/** One operation for each route and data file. */
import type { Operation as OperationRow } from "../resources/contracts.ts";
import { type Responses, responsesOf } from "./answers/responses.ts";
import { type Parameter, parametersOf } from "./parameters.ts";

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Responses;
}

export function operationOf({ row, contract }: OperationRow): Operation {
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

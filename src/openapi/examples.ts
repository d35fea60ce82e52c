/** Bodies of the tests as examples (generate/examples.ts). */
import type { NamedRow } from "../resources/table.ts";
import examples from "./generated/examples.json" with { type: "json" };

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}
type Examples = Readonly<Record<string, Example>>;

/** Undefined of a row that has none. */
export function examplesOf(name: NamedRow["name"]): Examples | undefined {
  return (examples as Readonly<Record<string, Examples>>)[name];
}

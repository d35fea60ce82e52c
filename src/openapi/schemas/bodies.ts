/** The schema of each body by the name that its contract gives it. */
import * as z from "zod";
import { OPERATIONS } from "../../resources/contracts.ts";
import type { Components, JsonSchema } from "./json-schema.ts";
import { restore } from "./restore.ts";

/** Every schema of the document by name, in the order of the names. */
export function schemaComponents(): Components {
  const components: Components = {};
  for (const { contract } of OPERATIONS) {
    if (contract.body === null) continue;
    const { name, schema } = contract.body;
    const { $schema: _, ...plain } = z.toJSONSchema(schema, { io: "output" });
    components[name] = restore(plain as JsonSchema, name, components);
  }
  return Object.fromEntries(Object.entries(components).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

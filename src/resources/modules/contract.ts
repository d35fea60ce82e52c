/** docs/spec/api.md#modules */
import type { Contract } from "../contract.ts";
import { modulesSchema } from "./schema.ts";

export const modulesContract = {
  operation: "modules",
  body: { name: "Modules", schema: modulesSchema },
  tag: "Measurement",
  summary: "Health of the modules",
  description: "The newest stored snapshot of each module. An empty list says that none is stored.",
  rules: [
    "Ordered by instanceId. docs/spec/api.md#modules 1",
    "State is not aged: a stored ready says nothing of the connection now. docs/spec/api.md#modules 3",
  ],
} as const satisfies Contract;

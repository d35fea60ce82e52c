/** The contract of modules: body and texts (docs/spec/api.md#modules). */
import * as z from "zod";
import { MODULE_STATES, PROVENANCES } from "../../values/enums.ts";
import type { Contract } from "../contract.ts";
import { count, installationIdField, timestamp } from "../fields.ts";

export const modulesSchema = z.strictObject({
  schemaVersion: z.literal(1),
  installationId: installationIdField,
  modules: z.array(
    z.strictObject({
      instanceId: z.string(),
      moduleType: z.string(),
      driverId: z.string(),
      moduleVersion: z.string(),
      schemaVersion: count.min(1),
      state: z.enum(MODULE_STATES),
      observedAt: timestamp,
      provenance: z.enum(PROVENANCES),
      health: z.strictObject({
        checkedAt: timestamp,
        message: z.string().nullable().optional(),
        code: z.string().nullable().optional(),
      }),
      data: z.record(z.string(), z.unknown()),
    }),
  ),
});

export const modulesContract = {
  operation: "modules",
  body: { name: "Modules", schema: modulesSchema },
  tag: "Measurement",
  summary: "Health of the modules",
  description: "The newest stored snapshot of each module. An empty list means that none is stored.",
  rules: [
    "Ordered by instanceId. docs/spec/api.md#modules 1",
    "State does not age: a stored ready does not mean that the module is connected now. docs/spec/api.md#modules 3",
  ],
} as const satisfies Contract;

/** docs/spec/api.md#modules, the module snapshot resource. */
import * as z from "zod";
import { MODULE_STATES, PROVENANCES } from "../../values/enums.ts";
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

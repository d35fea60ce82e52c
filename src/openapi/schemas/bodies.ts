/** The schema of each body by the row that answers with it; a row that is missing here is a type error. */
import { z } from "zod";
import { activitySchema } from "../../resources/activity/schema.ts";
import { modulesSchema } from "../../resources/modules/schema.ts";
import { observationsSchema } from "../../resources/observations/schema.ts";
import { onchainSchema } from "../../resources/onchain/schema.ts";
import { processSchema } from "../../resources/process/schema.ts";
import { settlementsSchema } from "../../resources/settlements/schema.ts";
import { legacySettlementsSchema } from "../../resources/settlements-legacy/schema.ts";
import { statisticsSchema } from "../../resources/statistics/rules.ts";
import type { RouteName } from "../../resources/table.ts";
import { telemetrySchema } from "../../resources/telemetry/schema.ts";
import { FILE_BODIES } from "./file-bodies.ts";
import type { Components, JsonSchema } from "./json-schema.ts";
import { restore } from "./restore.ts";

interface Body {
  /** Of its component. */
  readonly name: string;
  readonly schema: z.ZodType;
}

const telemetry: Body = { name: "Telemetry", schema: telemetrySchema };

export const ROUTE_BODIES: Readonly<Record<RouteName, Body>> = {
  telemetry,
  "installation-telemetry": telemetry,
  modules: { name: "Modules", schema: modulesSchema },
  observations: { name: "Observations", schema: observationsSchema },
  process: { name: "Process", schema: processSchema },
  statistics: { name: "Statistics", schema: statisticsSchema },
  onchain: { name: "Onchain", schema: onchainSchema },
  settlements: { name: "Settlements", schema: settlementsSchema },
  activity: { name: "Activity", schema: activitySchema },
  "settlements-legacy": { name: "LegacySettlements", schema: legacySettlementsSchema },
};

/** Every schema of the document by name, in the order of the names. */
export function schemaComponents(): Components {
  const components: Components = {};
  const bodies: Body[] = [
    ...Object.values(ROUTE_BODIES),
    ...Object.entries(FILE_BODIES).map(([name, schema]) => ({ name, schema })),
  ];
  for (const { name, schema } of bodies) {
    const { $schema: _, ...plain } = z.toJSONSchema(schema, { io: "output" });
    components[name] = restore(plain as JsonSchema, name, components);
  }
  return Object.fromEntries(Object.entries(components).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

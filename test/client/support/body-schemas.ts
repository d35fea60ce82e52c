/** The bodies that the client gives, and the schemas that they are judged by. */
import type { z } from "zod";
import { activitySchema } from "../../../src/resources/activity/schema.ts";
import { modulesSchema } from "../../../src/resources/modules/schema.ts";
import { observationsSchema } from "../../../src/resources/observations/schema.ts";
import { onchainSchema } from "../../../src/resources/onchain/schema.ts";
import { processSchema } from "../../../src/resources/process/schema.ts";
import { publicationStatusSchema } from "../../../src/resources/publication-status/schema.ts";
import { settlementsSchema } from "../../../src/resources/settlements/schema.ts";
import { legacySettlementsSchema } from "../../../src/resources/settlements-legacy/schema.ts";
import { statisticsSchema } from "../../../src/resources/statistics/rules.ts";
import { telemetrySchema } from "../../../src/resources/telemetry/schema.ts";

/** By the file in src/client/bodies. */
export const BODIES = {
  telemetry: { type: "Telemetry", schema: telemetrySchema },
  modules: { type: "Modules", schema: modulesSchema },
  observations: { type: "Observations", schema: observationsSchema },
  process: { type: "Process", schema: processSchema },
  statistics: { type: "Statistics", schema: statisticsSchema },
  onchain: { type: "Onchain", schema: onchainSchema },
  settlements: { type: "Settlements", schema: settlementsSchema },
  "legacy-settlements": { type: "LegacySettlements", schema: legacySettlementsSchema },
  activity: { type: "Activity", schema: activitySchema },
  "publication-status": { type: "PublicationStatus", schema: publicationStatusSchema },
} as const satisfies Record<string, { readonly type: string; readonly schema: z.ZodType }>;

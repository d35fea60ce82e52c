/** The API's bodies as the page reads them; the shapes are the schemas' own. */
import type { z } from "zod";
import type { activitySchema } from "../../../src/resources/activity/schema.ts";
import type { modulesSchema } from "../../../src/resources/modules/schema.ts";
import type { onchainSchema } from "../../../src/resources/onchain/schema.ts";
import type { settlementsSchema } from "../../../src/resources/settlements/schema.ts";

export type Activity = z.infer<typeof activitySchema>;
export type Modules = z.infer<typeof modulesSchema>;
export type Onchain = z.infer<typeof onchainSchema>;
export type Settlements = z.infer<typeof settlementsSchema>;

export type Available<Body> = Extract<Body, { status: "available" }>;
export type ActivityEvent = Available<Activity>["events"][number];
export type RecentSettlement = Available<Settlements>["recentSettlements"][number];

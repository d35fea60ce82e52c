/** Parts of the API's bodies that several components read. */
import type { Activity, Process, Settlements, Statistics } from "../../../src/client/create-client.ts";

export type Available<Body> = Extract<Body, { status: "available" }>;
export type ActivityEvent = Available<Activity>["events"][number];
export type RecentSettlement = Available<Settlements>["recentSettlements"][number];
export type SettlementQueue = Process["settlementQueue"];
export type StatisticsDay = Statistics["activity"]["days"][number];

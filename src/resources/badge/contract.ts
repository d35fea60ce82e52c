/** docs/spec/people.md#files */
import * as z from "zod";
import type { Contract } from "../contract.ts";
import { installationIdField } from "../fields.ts";

const badge = z.strictObject({
  schemaVersion: z.literal(1),
  label: installationIdField,
  message: z.enum(["online", "stale", "offline"]),
  color: z.string().min(1),
});

export const badgeContract = {
  operation: "badge",
  body: { name: "Badge", schema: badge },
  tag: "Files",
  summary: "The telemetry's status for badge services",
  description: "docs/spec/people.md#files 6",
  rules: [],
} as const satisfies Contract;

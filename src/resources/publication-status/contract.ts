/** docs/spec/people.md#status-json */
import type { Contract } from "../contract.ts";
import { publicationStatusSchema } from "./schema.ts";

export const publicationStatusContract = {
  operation: "status",
  body: { name: "PublicationStatus", schema: publicationStatusSchema },
  tag: "Files",
  summary: "How the publication is",
  description: "Publisher, answers and sources as a stranger may see them. docs/spec/people.md#status-json",
  rules: [],
  isClientMethod: true,
} as const satisfies Contract;

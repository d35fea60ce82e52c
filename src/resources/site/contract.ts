/** docs/spec/people.md#openapi */
import * as z from "zod";
import type { Contract } from "../contract.ts";

const openapi = z.looseObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.looseObject({}),
  paths: z.looseObject({}),
});

export const openapiContract = {
  operation: "openapi",
  body: { name: "OpenApi", schema: openapi },
  tag: "Files",
  summary: "This document",
  description: "docs/spec/people.md#openapi",
  rules: [],
} as const satisfies Contract;

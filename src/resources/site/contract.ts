/** The data files of the package, for programs (docs/spec/people.md#files). */
import * as z from "zod";
import type { Contract } from "../contract.ts";
import { installationIdField } from "../fields.ts";

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

const deployment = z.strictObject({
  schemaVersion: z.literal(1),
  installationId: installationIdField,
  /** Seconds since 1970; null if it is not known. */
  genesisTimestamp: z.int().nonnegative().nullable(),
  /** The deployment file (docs/spec/chain.md#deployment); null without a chain. */
  deployment: z.looseObject({}).nullable(),
  /** How long a chain view is valid after a good pass, ms. */
  chainMaxAge: z.int().positive(),
});

export const deploymentContract = {
  operation: "deployment",
  body: { name: "Deployment", schema: deployment },
  tag: "Files",
  summary: "What the responses are computed with",
  description: "The settings that a program needs to compute the responses again. docs/spec/people.md#deployment-json",
  rules: [],
} as const satisfies Contract;

/** Reads the deployment file (docs/spec/chain.md#deployment), which the chain must match to be published. */
import { readFileSync } from "node:fs";
import { type Address, getAddress, type Hex } from "viem";
import * as z from "zod";
import { Failure } from "../values/failure.ts";
import { errorMessage } from "../values/unknown.ts";
import { lowerHex } from "./rpc/node-responses.ts";

/** Accepts any case; addresses are published checksummed. */
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "is not an address")
  .transform((text): Address => getAddress(text));
const hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "is not a 32-byte hash")
  .transform((text): Hex => lowerHex(text));
const block = z.int().nonnegative();
const label = z.string().min(1);

export const deploymentSchema = z.strictObject({
  target: label,
  chainId: z.int().positive(),
  deploymentBlock: block,
  factory: address,
  core: address,
  proxyAdmin: address,
  operatorTimelock: address,
  operatorProposer: address,
  streamId: hash,
  economy: z
    .strictObject({
      releaseId: label,
      protocolRevision: label,
      rewardModelRevision: label,
      deploymentBlock: block,
      mining: address,
      token: address,
      tokenFactory: address,
      collection: address,
    })
    .optional(),
});

const FORM =
  "docs/spec/chain.md#deployment lists the keys; chainId and blocks are integers, and no other key is allowed.";

export type Deployment = z.output<typeof deploymentSchema>;
export type EconomyDeployment = NonNullable<Deployment["economy"]>;

/** Reads and validates deployment.json. Throws `Failure`: exit 74 if it cannot be read, 2 if it is wrong. */
export function readDeployment(path: string): Deployment {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new Failure("file_unreadable", `${path} cannot be read: ${errorMessage(cause)}`, { cause });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Failure("invalid_setting", `${path} is not JSON: ${errorMessage(cause)}`, { hint: FORM, cause });
  }
  const parsed = deploymentSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  throw new Failure("invalid_setting", `${path}: ${field}${issue?.message ?? "is invalid"}`, { hint: FORM });
}

/** The writer metadata of an object: epoch, token and the vector of what it was computed from. */
import * as z from "zod";
import type { StoredObject } from "../../object-store/object-store.ts";
import type { Asof } from "../../object-store/stored-response.ts";

const count = z.number().int().nonnegative();
const bits64 = z.string().regex(/^[A-Za-z0-9_-]{11}$/);
const part = z.union([z.tuple([count]), z.tuple([count, bits64]), z.tuple([count, bits64, count])]);

const asofSchema = z.strictObject({
  at: count,
  of: bits64.optional(),
  history: z.string().min(1).optional(),
  facts: z.array(part.nullable()).max(9).optional(),
  position: count.optional(),
  telemetryId: z.string().min(1).optional(),
  safeBlock: z
    .string()
    .regex(/^(0|[1-9]\d*)$/)
    .optional(),
  safeHash: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .optional(),
  chain: bits64.optional(),
  program: z.string().min(1).optional(),
});

export interface Writer {
  readonly epoch: number;
  readonly asof: Asof;
}

/** A complaint in words where they are not readable. */
export function writerOf({ metadata }: StoredObject): Writer | string {
  const { epoch = "", writer = "", asof = "" } = metadata;
  if (!/^[1-9]\d{0,14}$/.test(epoch)) return `its epoch is ${JSON.stringify(epoch)}`;
  if (writer === "") return "it names no writer";
  try {
    const parsed = asofSchema.safeParse(JSON.parse(asof));
    const issue = parsed.error?.issues[0];
    if (issue !== undefined) return `asof ${issue.path.join(".")}: ${issue.message}`;
    return { epoch: Number(epoch), asof: parsed.data as Asof };
  } catch {
    return "its asof is no JSON";
  }
}

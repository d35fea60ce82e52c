/** Reads the public part of the lease object. */
import { STATUS_KEY } from "../../http/keys.ts";
import { StoreUnavailable } from "../../object-store/object-store.ts";
import type { LeaseFacts, PublicRecord } from "../../resources/publication-status/public-record.ts";
import type { ShimContext } from "../context.ts";

const decoder = new TextDecoder();

/** At most a second old; `undefined` if there is none, or if the site is turned off. */
export async function leaseFacts({
  recent,
}: ShimContext): Promise<(LeaseFacts & { readonly public: PublicRecord }) | undefined> {
  const object = await recent.get(STATUS_KEY);
  if (object === undefined) return undefined;
  try {
    const facts: unknown = JSON.parse(decoder.decode(object.body));
    if (!isLeaseFacts(facts)) throw new Error("it is not a lease of Noonmark");
    return facts.public == null ? undefined : { ...facts, public: facts.public };
  } catch (cause) {
    throw new StoreUnavailable(`${STATUS_KEY}: cannot be read`, { cause });
  }
}

function isLeaseFacts(value: unknown): value is LeaseFacts {
  const { ttlMs, renewedAt, public: record } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof ttlMs !== "number" || typeof renewedAt !== "string" || Number.isNaN(Date.parse(renewedAt))) return false;
  return record == null || typeof (record as Partial<PublicRecord>).installationId === "string";
}

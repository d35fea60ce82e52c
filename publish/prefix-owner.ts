/**
 * A prefix belongs to one configured installation for ever (docs/spec/publishing.md#owner). Otherwise telemetry of one
 * installation would replace that of another under the same key.
 */
import type { ObjectStore } from "../src/object-store/object-store.ts";
import type { Publication } from "../src/resources/publication.ts";
import { TELEMETRY_KEY } from "../src/resources/telemetry/route.ts";
import { Failure } from "../src/values/failure.ts";
import { Known, type KnownObject } from "./known.ts";
import { learn } from "./learn.ts";
import { isIndexOf, ownKeys, storedIndex } from "./plan/published.ts";
import { shortHash } from "./plan/source-version.ts";

export interface Claim {
  readonly store: ObjectStore;
  readonly reader: { readonly installationId: string };
  readonly publications: readonly Publication[];
  /** Requests in flight. */
  readonly concurrency: number;
}

/** Must be called before the lease is taken. Throws `Failure` installation_changed (2), `StoreUnavailable`. */
export async function checkOwner({ store, reader, publications, concurrency }: Claim): Promise<void> {
  const configured = reader.installationId;
  const known = Known.inMemory();
  const learning = { store, known, concurrency, blockHash: async () => undefined };
  try {
    await learn([{ is: "index" }], learning);
    if (isIndexOf(configured, known)) return;
    const index = storedIndex(known);
    const owner = index === undefined || index === "lost" ? undefined : index.configured;
    const keys = owner === undefined ? ownKeys(configured, { configured, publications }) : [TELEMETRY_KEY];
    const answers = keys.map((key) => ({ is: "answer", key }) as const);
    await learn(answers, learning);
    const of = shortHash(configured);
    for (const object of keys.flatMap((key) => known.get(key) ?? [])) {
      if (owner !== undefined && isBinding(object, of)) throw installationChanged(store, configured, owner);
      if (owner === undefined && isOfAnother(object, of)) throw installationChanged(store, configured, undefined);
    }
  } finally {
    known.close();
  }
}

/** True if a response of another installation than `of` is stored. */
function isOfAnother({ condition, sourceVersion }: KnownObject, of: string): boolean {
  return condition === "stored" && sourceVersion.of !== undefined && sourceVersion.of !== of;
}

/** True if telemetry has a receipt of another installation than `of`. Damaged telemetry may have one. */
function isBinding(telemetry: KnownObject, of: string): boolean {
  if (telemetry.condition === "damaged") return true;
  return isOfAnother(telemetry, of) && telemetry.sourceVersion.position !== undefined;
}

function installationChanged({ name }: ObjectStore, configured: string, owner = "another installation"): Failure {
  return new Failure("installation_changed", `${name} belongs to ${owner}, and installationId is ${configured}`, {
    hint: `Publish ${configured} to an empty prefix (--store), and point the CDN there: docs/operating.md#changing-the-installation`,
  });
}

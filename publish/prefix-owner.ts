/**
 * A prefix belongs to one configured installation for ever (docs/spec/publishing.md#owner). Otherwise telemetry of one
 * installation would replace that of another under the same key. A signed log belongs to the name of its key
 * (docs/spec/publishing.md#signed).
 */

import { FIRST_LOG } from "../src/http/installations.ts";
import { checkpointKey, PUBLIC_LOGS } from "../src/http/keys.ts";
import { EVERY_RECORD, fieldsShown } from "../src/ledger/intake/shown-in.ts";
import { parseNote } from "../src/log/note.ts";
import { originOf } from "../src/log/public-log.ts";
import type { Signer } from "../src/log/signer.ts";
import type { ObjectStore } from "../src/object-store/object-store.ts";
import type { Publication } from "../src/resources/publication.ts";
import { TELEMETRY_KEY } from "../src/resources/telemetry/route.ts";
import { Failure } from "../src/values/failure.ts";
import { printable } from "../src/values/printable.ts";
import { Known } from "./known.ts";
import type { KnownObject } from "./known-objects.ts";
import { learn } from "./learn.ts";
import { isIndexOf, ownKeys, responsesOf, shortHash } from "./plan/check.ts";

export interface Claim {
  readonly store: ObjectStore;
  readonly reader: { readonly installationId: string };
  readonly publications: readonly Publication[];
  /** Requests in flight. */
  readonly concurrency: number;
  readonly signers: readonly Signer[];
  /** The number of a new log (`--new-log`). */
  readonly newLog?: number | undefined;
  /** The operator agrees that the log becomes public. */
  readonly mayPublishLog?: boolean;
}

/**
 * Must be called before the lease is taken. Throws `Failure` installation_changed, log_key_missing, log_key_changed,
 * log_unconfirmed (2), and `StoreUnavailable`.
 */
export async function checkOwner(claim: Claim): Promise<void> {
  const { store, reader, publications, concurrency } = claim;
  const configured = reader.installationId;
  const known = Known.inMemory();
  const learning = { store, known, concurrency };
  try {
    await learn([{ is: "index" }], learning);
    await learn([{ is: "log" }], learning);
    const { log = FIRST_LOG } = known;
    // A run that was killed may have begun this log and put nothing of it. The one before may be public already.
    if (log > FIRST_LOG) await learn([{ is: "object", key: checkpointKey(PUBLIC_LOGS, log - 1) }], learning);
    checkLogKey(log, known, claim);
    if (isIndexOf(configured, known)) return;
    const index = known.objects.index;
    const owner = index === undefined || index === "lost" ? undefined : index.configured;
    const keys =
      owner === undefined
        ? ownKeys(configured, responsesOf(configured, { configured, publications }))
        : [TELEMETRY_KEY];
    const responses = keys.map((key) => ({ is: "object", key }) as const);
    await learn(responses, learning);
    const of = shortHash(configured);
    for (const object of keys.flatMap((key) => known.objects.get(key) ?? [])) {
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
    facts: { is: "prefix_of_other", configured },
  });
}

/** `name`: that of the key. */
export function logUnconfirmed(log: number, name: string): Failure {
  const unseen = fieldsShown((routes) => routes.length === 0);
  const summed = fieldsShown((routes) => !routes.includes(EVERY_RECORD), ["receipt"]);
  return new Failure(
    "log_unconfirmed",
    `log ${log} becomes public for ever, signed as ${originOf(name, log)}: every value of every record\n` +
      `    no route shows: ${unseen}\n` +
      `    routes show only newest values, sums and peaks of: ${summed}; every other record`,
    { facts: { is: "log_consent" } },
  );
}

/** A log that was signed once is never stored without a signature, or by another name, because its readers remember both. */
function checkLogKey(log: number, known: Known, { store, signers, newLog, mayPublishLog = false }: Claim): void {
  const stored = known.objects.get(checkpointKey(PUBLIC_LOGS, log));
  const before = known.objects.get(checkpointKey(PUBLIC_LOGS, log - 1));
  const name = signers[0]?.verifier.name;
  if (name === undefined) {
    if (stored?.condition !== "stored") return;
    throw new Failure("log_key_missing", `log ${log} in ${store.name} is signed, and the publisher has no key`);
  }
  if (stored?.condition === "absent") {
    if (mayPublishLog || before?.condition === "stored") return;
    throw logUnconfirmed(log, name);
  }
  const body = known.objects.object(checkpointKey(PUBLIC_LOGS, log))?.body;
  if (body === undefined || newLog !== undefined) return;
  const [origin = ""] = parseNote(body).text.split("\n");
  if (origin === originOf(name, log)) return;
  throw new Failure("log_key_changed", `log ${log} is signed as ${printable(origin)}, and the key is named ${name}`, {
    facts: { is: "log_name", name: printable(origin.slice(0, origin.lastIndexOf("/log/"))) },
  });
}

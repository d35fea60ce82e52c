/** The newest facts that an object speaks of (docs/spec/publishing.md#nothing-goes-back), for its writer metadata. */
import { readNewestReceipt } from "../../src/ledger/read/receipts.ts";
import { installationNo } from "../../src/ledger/watermarks.ts";
import type { Asof } from "../../src/object-store/stored-answer.ts";
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";

/** `at` in epoch ms. */
export function asofOf(
  snapshot: Snapshot,
  publication: Pick<Publication, "installationId" | "program">,
  at: number,
): Asof {
  const { ledger, chain, installationId: configured } = snapshot;
  const { installationId = configured } = publication;
  const program = publication.program === undefined ? {} : { program: publication.program };
  if (installationId === null) return { at, ...program };
  const no = ledger && installationNo(ledger, installationId);
  const newest = ledger === undefined || no === undefined ? undefined : readNewestReceipt(ledger, no);
  return {
    at,
    ...program,
    ...(newest === undefined ? {} : { position: newest.position, telemetryId: newest.telemetryId }),
    ...(chain.core.status === "available" ? { safeBlock: String(chain.core.view.chain.safeThroughBlock) } : {}),
  };
}

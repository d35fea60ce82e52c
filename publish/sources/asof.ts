/** The newest facts that an object speaks of (design 1, "History does not fork"), for its mark. */
import { readNewestReceipt } from "../../src/ledger/read/receipts.ts";
import { installationNo } from "../../src/ledger/watermarks.ts";
import type { Asof } from "../../src/object-store/stored-answer.ts";
import type { Sources } from "./sources.ts";

export function asofOf(sources: Sources, installationId: string, at: number): Asof {
  const ledger = sources.facts?.ledger;
  const no = ledger === undefined ? undefined : installationNo(ledger, installationId);
  const newest = ledger === undefined || no === undefined ? undefined : readNewestReceipt(ledger, no);
  const { core } = sources.chain;
  return {
    at,
    ...(newest === undefined ? {} : { position: newest.position, telemetryId: newest.telemetryId }),
    ...(core.status === "available" ? { safeBlock: String(core.view.chain.safeThroughBlock) } : {}),
  };
}

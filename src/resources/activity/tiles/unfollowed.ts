import { installationNo } from "../../../ledger/watermarks.ts";
import { isBehindReceipts } from "../../../projections/activity/milestones.ts";
import type { Snapshot } from "../../snapshot.ts";

/** Whether the milestones have not followed every receipt yet: they are followed in steps, cycle by cycle. */
export function hasUnfollowedReceipts({ ledger, installationId, projections }: Snapshot): boolean {
  const no = ledger && installationNo(ledger, installationId);
  return ledger !== undefined && no !== undefined && isBehindReceipts(projections, ledger, { no, id: installationId });
}

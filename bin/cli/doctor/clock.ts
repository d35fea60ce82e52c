/** Examines this host's clock against the store's clock and against what is published. */
import { CLOCK_TOLERANCE_MS } from "../../../publish/clock/clock.ts";
import { isAhead } from "../../../publish/clock/instant.ts";
import { findLease } from "../../../publish/lease/lease-record.ts";
import { provenSkew } from "../../../src/object-store/clock-offset.ts";
import { hasClock, StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { Failure } from "../../../src/values/failure.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { newDirectoryOf, openConfiguredStore } from "../configured-store.ts";
import type { Settings } from "../settings/settings.ts";
import { duration } from "../status/print-publication.ts";
import { badFinding, type DoctorFinding, goodFinding } from "./finding.ts";

/** `now` returns epoch ms. A store that cannot be read is a finding of another check. */
export async function examineClock(settings: Settings, now: () => number): Promise<DoctorFinding[]> {
  if (newDirectoryOf(settings) !== undefined) return [];
  try {
    const store = await openConfiguredStore(settings, { write: false });
    if (hasClock(store)) {
      const skew = provenSkew(await store.measureClock(now));
      const text = `${duration(Math.abs(skew) / 1000)} ${skew < 0 ? "behind" : "ahead of"} the store's`;
      if (Math.abs(skew) <= CLOCK_TOLERANCE_MS) return [goodFinding("clock", text)];
      return [badFinding("clock", text, "Correct this host's clock (NTP), then run noonmark doctor again.")];
    }
    const record = (await findLease(store))?.record;
    const newest = Math.max(Date.parse(record?.renewedAt ?? ""), Date.parse(record?.lastCycleAt ?? "") || 0);
    if (!isAhead(newest, now())) return [];
    const saw = `this clock says ${formatTimestamp(now())}, and the store has objects of ${formatTimestamp(newest)}`;
    const todo =
      "Compare `date -u` with a clock that is right. Correct this one (NTP). If it was right, see docs/incidents.md#noonmarkclockmoved.";
    return [badFinding("clock", saw, todo)];
  } catch (error) {
    if (error instanceof StoreUnavailable || error instanceof Failure) return [];
    throw error;
  }
}

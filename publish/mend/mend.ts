/** What no cycle reads by itself, read and put right where the sources can give it (docs/spec/publishing.md#damage). */
import { listInstallations } from "../../src/ledger/watermarks.ts";
import type { Session } from "../cycle/session.ts";
import type { ReportRow } from "../puts/report.ts";
import { mendActivity } from "./activity-tiles.ts";
import { type Mending, mendObservations } from "./observation-tiles.ts";

/** After a forced cycle: every answer has been put anew, every tile is read. A row for each that was put. */
export async function mendTiles({ histories, selected }: Session, mending: Mending): Promise<ReportRow[]> {
  const rows: ReportRow[] = [];
  if (selected("observations")) {
    const installations = mending.sources.snapshot(({ ledger }) => (ledger ? listInstallations(ledger) : []));
    for (const installation of installations) {
      await histories.prepare(installation.id);
      rows.push(...(await mendObservations(installation, histories, mending)));
    }
  }
  if (selected("activity")) rows.push(...(await mendActivity(mending)));
  return rows;
}

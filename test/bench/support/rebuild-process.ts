/**
 * Runs one rebuild in a separate process to measure its peak resident memory. `node rebuild-process.ts LEDGER
 * PROJECTIONS` prints one JSON object.
 */

import { openLedgerForReading } from "../../../src/ledger/open.ts";
import { rebuildProjections } from "../../../src/projections/rebuild.ts";
import { LEDGER_END, LEDGER_GENESIS } from "./large-ledger.ts";
import { peakResidentKb } from "./peak-resident.ts";

const [ledgerPath = "", path = ""] = process.argv.slice(2);
const ledger = openLedgerForReading(ledgerPath);
const started = performance.now();
const inputs = { ledger, installationId: "wheel-1", genesis: LEDGER_GENESIS, at: LEDGER_END };
const rebuilt = rebuildProjections(path, inputs, () => undefined);
const seconds = (performance.now() - started) / 1000;
const { userCPUTime, systemCPUTime } = process.resourceUsage();
ledger.close();
console.log(
  JSON.stringify({
    ...rebuilt,
    seconds,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    residentMb: peakResidentKb() / 1024,
  }),
);

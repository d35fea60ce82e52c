/** Ingests a file with one batch per given number of bytes, and kills itself after another number of bytes. */
import { readFileSync } from "node:fs";
import { Intake } from "../../../src/ledger/intake/intake.ts";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";

const [ledger = "", file = "", batch, deadAt] = process.argv.slice(2);
const bytes = readFileSync(file).subarray(0, Number(deadAt));
const intake = new Intake(openLedgerForIntake(ledger));
for (let start = 0; start < bytes.length; start += Number(batch)) {
  const chunk = bytes.subarray(start, start + Number(batch));
  intake.write(chunk);
  if (chunk.length === Number(batch)) intake.flush();
}
process.kill(process.pid, "SIGKILL");

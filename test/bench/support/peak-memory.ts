/** Preload with `--import`. At exit it writes the process's peak resident memory in kilobytes to file descriptor 3. */
import { writeSync } from "node:fs";
import { peakResidentKb } from "./peak-resident.ts";

process.on("exit", () => writeSync(3, String(peakResidentKb())));

/** Preloaded into a process (`--import`): at its end it reports its greatest resident size, in kilobytes, on descriptor 3. */
import { writeSync } from "node:fs";
import { peakResidentKb } from "./peak-resident.ts";

process.on("exit", () => writeSync(3, String(peakResidentKb())));

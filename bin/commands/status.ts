/** `noonmark status`: what the publisher last said of itself. */

import type { Command } from "commander";
import { MOST_AHEAD_MS } from "../../publish/instant.ts";
import { readLease } from "../../publish/lease/lease-object.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { secondsArgument } from "../cli/arguments.ts";
import { openConfiguredStore } from "../cli/open-configured-store.ts";
import { loadSettings, settingOptions } from "../cli/settings.ts";

export function registerStatus(program: Command): void {
  const command = program
    .command("status")
    .description("show the publisher's last word: lease, last cycle, each answer's age and next change")
    .option("--max-age <seconds>", "exit 1 where the last renewal is older", secondsArgument)
    .option("--json", "as one JSON object");
  settingOptions(command, ["store"]).action(async ({ maxAge, json }: { maxAge?: number; json?: boolean }) => {
    const store = await openConfiguredStore(loadSettings(command.opts()), { write: false });
    const found = await readLease(store);
    if (found === undefined) {
      throw new Failure("never_published", `nothing has ever been published to ${store.name}`, { exit: EXIT.failed });
    }
    const { record } = found;
    const ageSeconds = (Date.now() - Date.parse(record.renewedAt)) / 1000;
    if (json === true) console.log(JSON.stringify({ ageSeconds, ...record }));
    else {
      console.log(`store       ${store.name}`);
      console.log(`publisher   ${record.holderName}, epoch ${record.epoch}${record.released ? ", ended" : ""}`);
      console.log(`renewed     ${record.renewedAt} (${ageSeconds.toFixed(1)} s ago)`);
      const { clockSkewMs } = record;
      if (clockSkewMs !== null) {
        const side = clockSkewMs > 0 ? "ahead of" : "behind";
        console.log(`clock       ${(Math.abs(clockSkewMs) / 1000).toFixed(1)} s ${side} the store's`);
      }
      console.log(`last cycle  ${record.lastCycleAt ?? "none"}`);
      console.log(`next change ${record.nextCycleAt ?? "none by time alone"}`);
      console.log(JSON.stringify(record.report, null, 2));
    }
    const ahead =
      Math.max(Date.parse(record.renewedAt), Date.parse(record.lastCycleAt ?? record.renewedAt)) - Date.now();
    if (maxAge !== undefined && ahead > MOST_AHEAD_MS) {
      throw new Failure("clock_behind", `what was published is ${(ahead / 1000).toFixed(0)} s ahead of this clock`, {
        exit: EXIT.failed,
        hint: "One of the two clocks is wrong; a publisher with the right one publishes nothing until that instant.",
      });
    }
    if (maxAge !== undefined && !(ageSeconds <= maxAge)) {
      throw new Failure("publisher_silent", `the last word is ${ageSeconds.toFixed(1)} s old`, { exit: EXIT.failed });
    }
  });
}

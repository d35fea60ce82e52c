/** `noonmark cost`: requests and cost per month, from the publisher's request counts. */
import type { Command } from "commander";
import { readPrivateStatus } from "../../../publish/lease/holder.ts";
import { readLease } from "../../../publish/lease/lease-record.ts";
import { type MeasuredRequests, measuredRequestsSchema } from "../../../publish/status/request-tally.ts";
import { openConfiguredStore } from "../../cli/configured-store.ts";
import { costJson, costLines, monthOf, readPrices } from "../../cli/cost.ts";
import { print } from "../../cli/messages.ts";
import { loadSettings } from "../../cli/settings/load-settings.ts";
import { settingOptions } from "../../cli/settings/setting-options.ts";
import type { Settings } from "../../cli/settings/settings.ts";
import { neverPublished } from "../../cli/status/publication.ts";

export function registerCost(program: Command): void {
  const command = program
    .command("cost")
    .description("compute puts, gets and money a month from the requests that the publisher counted")
    .option("--prices <file>", "a file of prices in the form of docs/prices.json")
    .option("--json", "as one JSON object");
  settingOptions(command, ["store"]).action(async ({ prices: file, json }: { prices?: string; json?: boolean }) => {
    const settings = loadSettings(command.opts(), ["store"]);
    const prices = readPrices(file);
    const month = monthOf(await measured(settings));
    const isTable = process.stdout.isTTY;
    await print(json === true ? JSON.stringify(costJson(month, prices)) : costLines(month, prices, isTable));
  });
}

/** Returns the counts in the lease holder's report; undefined without one. */
async function measured(settings: Settings): Promise<MeasuredRequests | undefined> {
  const store = await openConfiguredStore(settings, { write: false });
  const found = await readLease(store);
  if (found === undefined) throw neverPublished(store);
  const operator = await readPrivateStatus(store, found.record);
  return measuredRequestsSchema.safeParse(operator?.requests).data;
}

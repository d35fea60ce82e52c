/** `noonmark render PATH`: the response to a GET, from the sources, without publishing it. */
import type { Command } from "commander";
import { sourceStore } from "../../../publish/source-store.ts";
import { pollUntilConcluded } from "../../../src/chain/chain.ts";
import { readNewestReceipt } from "../../../src/ledger/read/receipts.ts";
import { installationRowId } from "../../../src/ledger/watermarks.ts";
import { allPublications } from "../../../src/resources/publications.ts";
import type { Snapshot } from "../../../src/resources/snapshot.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { respond, type ShimResponse } from "../../../src/shim/respond.ts";
import { printableLines } from "../../../src/values/printable.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { parseInstant } from "../../cli/arguments.ts";
import { print, warn, write } from "../../cli/messages.ts";
import { loadSettings, required } from "../../cli/settings/load-settings.ts";
import { type Settings, SOURCE_SETTINGS, settingOptions } from "../../cli/settings/settings.ts";
import { instantClock, openSources } from "../../cli/sources.ts";

interface Flags {
  readonly at?: string;
  readonly json?: boolean;
  readonly body?: boolean;
}

export function registerRender(program: Command): void {
  const command = program
    .command("render")
    .argument("<path>", "such as '/v4/public/process'")
    .option("--at <instant>", "as of this instant")
    .option("--json", "one object {status, headers, body}")
    .option("--body", "only the body");
  settingOptions(command, [...SOURCE_SETTINGS, "chainMaxAge", "deadline"]).action(
    async (path: string, flags: Flags) => {
      const settings = loadSettings(command.opts(), ["ledger"]);
      await printResponse(await render(settings, path, parseInstant(flags.at)), flags);
    },
  );
}

async function render(settings: Settings, path: string, given: number | undefined): Promise<ShimResponse> {
  const now = instantClock(given);
  const { reader, chain } = await openSources(settings, { state: "copy", whole: true, now });
  try {
    await pollUntilConcluded(chain, now, now() + settings.deadline * 1000);
    const at = given ?? now();
    const publications = allPublications({
      installationId: required(settings, "installationId"),
      statisticsInterval: 0,
    });
    let failure: unknown;
    const sources = reader.begin(at);
    await sources.advance(() => undefined);
    if (given !== undefined) sources.snapshot((snapshot) => warnOfLaterFacts(snapshot, at));
    const store = sourceStore({ publications, at, sources });
    const context = shimContext({ store, now: () => at, monotonic: () => 0, report: (error) => (failure = error) });
    const url = path.startsWith("/") ? path : `/${path}`;
    const answered = await respond({ method: "GET", url }, context);
    if (failure !== undefined) throw failure;
    return answered;
  } finally {
    reader.close();
  }
}

/** Warns of facts later than `at`, which are rendered as if they had been known then. */
function warnOfLaterFacts({ ledger, installationId }: Snapshot, at: number): void {
  const rowId = ledger && installationRowId(ledger, installationId);
  const newest = ledger === undefined || rowId === undefined ? undefined : readNewestReceipt(ledger, rowId);
  if (newest === undefined || newest.receivedAt <= at) return;
  warn({
    code: "facts_after_instant",
    message: `the newest receipt came at ${formatTimestamp(newest.receivedAt)}, after --at ${formatTimestamp(at)}`,
    hint: "The response uses every known fact, including later ones. It was never published in this form.",
  });
}

async function printResponse({ status, headers, body }: ShimResponse, flags: Flags): Promise<void> {
  const text = new TextDecoder().decode(body);
  // Programs get the bytes. Terminals get the same JSON with control characters escaped.
  const shown = process.stdout.isTTY ? printableLines(text) : text;
  if (flags.json === true) await print(JSON.stringify({ status, headers, body: text }));
  else if (flags.body === true) await write(shown);
  else {
    // Loaded lazily, because it makes Node load much code.
    const { STATUS_CODES } = await import("node:http");
    const lines = Object.entries(headers).map(([name, value]) => `${canonicalName(name)}: ${value}`);
    await write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n${shown}`);
  }
}

/** Converts `x-content-type-options` to `X-Content-Type-Options`. */
function canonicalName(name: string): string {
  return name === "etag" ? "ETag" : name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase());
}

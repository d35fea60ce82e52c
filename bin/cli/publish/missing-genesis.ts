/** Why the statistics are 503 where nothing tells when round 0 began; nobody sees it from a 503 alone. */
import type { ReportFailure } from "../../../publish/puts/report.ts";
import { RANGES, statisticsKey } from "../../../src/resources/statistics/route.ts";
import type { Settings } from "../settings/settings.ts";

interface Answered {
  readonly key: string;
  readonly status: number | null;
}

/** One warning, or none: a chain tells it by itself once it is read. */
export function missingGenesis(answers: readonly Answered[], settings: Settings): ReportFailure[] {
  if (settings.genesisTimestamp !== undefined) return [];
  const keys = RANGES.map(statisticsKey);
  if (!answers.some(({ key, status }) => keys.includes(key) && status === 503)) return [];
  const hint =
    settings.rpcUrl === undefined
      ? "Set genesisTimestamp (seconds, a multiple of 600), or a chain, which tells it."
      : "The chain tells it once its safe block is read; until then, genesisTimestamp may be set by hand.";
  return [{ code: "no_genesis", message: "the statistics are 503: nothing tells when round 0 began", hint }];
}

/** What `noonmark status` shows of each resource and source (docs/spec/publishing.md#status). */
import { formatTimestamp } from "../src/values/timestamp.ts";
import type { CycleReport } from "./cycle/report.ts";
import type { Published } from "./state/published.ts";

export function statusReport(
  published: Published,
  last: CycleReport | undefined,
  sources: Record<string, unknown>,
): Record<string, unknown> {
  const objects = [...published.all()].map(({ key, asof, status, states, etag }) => {
    const next = states[1]?.from;
    const nextChangeAt = next === undefined ? null : formatTimestamp(next);
    return [key, { at: formatTimestamp(asof.at), status, etag, nextChangeAt }];
  });
  const failed = last?.rows.filter(({ action }) => action === "failed").map(({ key, why }) => ({ key, why }));
  return {
    resources: Object.fromEntries(objects),
    failed: failed ?? [],
    failures: last?.failures ?? [],
    warnings: last?.warnings ?? [],
    sources,
  };
}

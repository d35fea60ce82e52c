/** Golden bodies of the tests, by the route that serves them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RouteName } from "../../src/resources/table.ts";

const ROOT = join(import.meta.dirname, "..");

interface Place {
  readonly directory: string;
  readonly pattern: RegExp;
}

const PLACES: Readonly<Partial<Record<RouteName, readonly Place[]>>> = {
  telemetry: [{ directory: "site/recorded", pattern: /^telemetry\.json$/ }],
  modules: [{ directory: "site/recorded", pattern: /^modules\.json$/ }],
  process: [
    { directory: "resources/process/golden", pattern: /\.json$/ },
    { directory: "site/recorded", pattern: /^process\.json$/ },
  ],
  statistics: [{ directory: "resources/statistics/golden", pattern: /^oracle-.*\.json$/ }],
  onchain: [
    { directory: "resources/onchain/golden", pattern: /\.json$/ },
    { directory: "site/recorded", pattern: /^onchain\.json$/ },
  ],
  settlements: [
    { directory: "resources/settlements/golden", pattern: /^v4-.*\.json$/ },
    { directory: "site/recorded", pattern: /^settlements-.*\.json$/ },
  ],
  "settlements-legacy": [{ directory: "resources/settlements/golden", pattern: /^v3-.*\.json$/ }],
  activity: [
    { directory: "publish/activity/golden", pattern: /\.json$/ },
    { directory: "site/recorded", pattern: /^activity-.*\.json$/ },
  ],
};

export interface GoldenBody {
  readonly route: RouteName;
  /** Path relative to test/. */
  readonly file: string;
  readonly body: unknown;
}

export const GOLDEN_BODIES: readonly GoldenBody[] = Object.entries(PLACES).flatMap(([route, places]) =>
  places.flatMap(({ directory, pattern }) =>
    readdirSync(join(ROOT, directory))
      .filter((name) => pattern.test(name))
      .toSorted()
      .map((name) => ({
        route: route as RouteName,
        file: `${directory}/${name}`,
        body: golden(`${directory}/${name}`),
      })),
  ),
);

/** Only the body, even if the file has a whole response. */
function golden(file: string): unknown {
  const { headers, body, ...rest } = JSON.parse(goldenText(file)) as Record<string, unknown>;
  return headers === undefined ? { ...rest } : body;
}

function goldenText(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

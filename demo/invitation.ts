/** The addresses and lines to try once the demo is up: every route, and conditional requests with the current tags. */
import { RANGES } from "../src/resources/statistics/route.ts";

const PATHS = [
  "/v1/public/telemetry",
  "/v1/public/modules",
  "/v1/public/installations/wheel-1/observations?limit=3",
  "/v4/public/process",
  ...RANGES.map((range) => `/v2/public/stats?range=${range}`),
  "/v4/public/onchain",
  "/v4/public/settlements?range=7d",
  "/v3/public/settlements?range=now",
  "/v1/public/activity?limit=5",
];

/** Requests each route once; `url` has no slash at its end. */
export async function invitation(url: string, configuration: string): Promise<string> {
  const lines = ["", "Open or curl:", `  ${url}/`];
  const conditional: string[] = [];
  for (const path of PATHS) {
    // curl asks for no encoding, and gets the strong tag.
    const response = await fetch(url + path, { headers: { "accept-encoding": "identity" } });
    const { status } = response;
    const body = await response.text();
    lines.push(`  ${url}${path}${status === 200 ? "" : `   (${status} ${body})`}`);
    const etag = response.headers.get("etag");
    const asks = etag !== null && !path.startsWith("/v1/") && status === 200;
    if (asks) conditional.push(`  curl -i -H 'If-None-Match: ${etag}' '${url}${path}'`);
  }
  lines.push("", "304 for as long as nothing moves (the process snapshot moves with every receipt):", ...conditional);
  lines.push(
    "",
    "The same from the sources, and how the publisher is:",
    `  npx noonmark render /v4/public/process --config ${configuration}`,
    `  npx noonmark status --config ${configuration}`,
  );
  return lines.join("\n");
}

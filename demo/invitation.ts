/** The addresses and lines to try once the demo is up: every route, and conditional requests with the current tags. */
import { plainTargets } from "../src/resources/plain-targets.ts";
import { ROUTES } from "../src/resources/table.ts";

/** Requests each route once; `url` has no slash at its end. */
export async function invitation(url: string, configuration: string): Promise<string> {
  const lines = ["", "Open or curl:", `  ${url}/`];
  const conditional: string[] = [];
  for (const row of ROUTES) {
    const [path = ""] = plainTargets(row, "wheel-1");
    // curl asks for no encoding, and gets the strong tag.
    const response = await fetch(url + path, { headers: { "accept-encoding": "identity" } });
    const { status } = response;
    const body = await response.text();
    lines.push(`  ${url}${path}${status === 200 ? "" : `   (${status} ${body})`}`);
    const etag = response.headers.get("etag");
    if (row.conditional && etag !== null && status === 200) conditional.push(`  curl -i -H 'If-None-Match: ${etag}' '${url}${path}'`);
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

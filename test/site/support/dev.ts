/**
 * Serves the page over a running API, built at each start: `node test/site/support/dev.ts http://127.0.0.1:8787 8790`.
 */
import { startSite } from "./site-server.ts";

const [base = "http://127.0.0.1:8787", port = "8790"] = process.argv.slice(2);
const SETTLEMENTS = ["x-service-settlement-source", "x-service-settlement-fallback-reason"];
const PASSED = [...SETTLEMENTS, "content-type", "cache-control", "etag", "date", "retry-after"];

const { url } = await startSite(
  async (target, { headers }) => {
    const condition = headers["if-none-match"];
    const response = await fetch(base + target, {
      headers: condition === undefined ? {} : { "if-none-match": condition },
    });
    const kept = PASSED.flatMap((name) =>
      response.headers.has(name) ? [[name, response.headers.get(name) ?? ""]] : [],
    );
    return {
      status: response.status,
      headers: Object.fromEntries(kept) as Record<string, string>,
      body: await response.text(),
    };
  },
  { port: Number(port) },
);
console.log(url);

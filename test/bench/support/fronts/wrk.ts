/** Runs wrk over a list of URLs in rotation. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../../support/processes.ts";

export interface WrkLoad {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p99: number;
}

export interface WrkOptions {
  readonly port: number;
  readonly urls: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The folder where the wrk script is written. */
  readonly folder: string;
}

/** Throws if any response was not 2xx or 3xx, or if a connection failed. */
export async function wrk({ port, urls, connections, seconds, headers = {}, folder }: WrkOptions): Promise<WrkLoad> {
  const script = join(folder, "urls.lua");
  const fields = Object.entries(headers).map(([name, value]) => `[${JSON.stringify(name)}] = ${JSON.stringify(value)}`);
  writeFileSync(
    script,
    `local requests, at = {}, 0
init = function()
  for _, url in ipairs({ ${urls.map((url) => JSON.stringify(url)).join(", ")} }) do
    requests[#requests + 1] = wrk.format("GET", url, { ["Host"] = "bench", ${fields.join(", ")} })
  end
end
request = function() at = at % #requests + 1; return requests[at] end
`,
  );
  const load = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-s", script];
  const output = await run("wrk", [...load, `http://127.0.0.1:${port}`]);
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(output);
  const [, p99 = "", unit = ""] = /99%\s+([\d.]+)(us|ms|s)/.exec(output) ?? [];
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
  return { perSecond, p99: Number(p99) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN) };
}

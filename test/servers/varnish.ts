import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_OPTIONS } from "../../cdn-config/generate/options.ts";
import { varnishFiles } from "../../cdn-config/generate/varnish/varnish.ts";
import { freePort } from "../support/free-port.ts";
import { run, start, stop, until } from "../support/processes.ts";
import type { Front, FrontOrigins } from "./front.ts";

/** As in docs/cdn-varnish.md. */
const PARAMETERS = ["-p", "http_max_hdr=256", "-p", "http_req_hdr_len=16k"];

export async function startVarnish(origins: FrontOrigins): Promise<Front> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-varnish-"));
  const port = await freePort();
  const vcl = join(folder, "default.vcl");
  writeFileSync(vcl, varnishFiles({ ...DEFAULT_OPTIONS, ...origins })["default.vcl"] ?? "");
  // Varnish's message about a file that does not compile.
  await run("varnishd", ["-C", "-j", "none", "-f", vcl, "-n", join(folder, "check")]);
  const args = ["-F", "-j", "none", "-n", join(folder, "run"), "-a", `127.0.0.1:${port}`, "-T", "none", "-f", vcl];
  const child = start("varnishd", [...args, ...PARAMETERS, "-s", "malloc,64m"], join(folder, "log"));
  await until("Varnish responds", async () => (await fetch(`http://127.0.0.1:${port}/`)).status > 0).catch(
    async (error: unknown) => {
      await stop(child);
      throw error;
    },
  );
  return {
    hostname: "127.0.0.1",
    port,
    async stop() {
      await stop(child, "SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

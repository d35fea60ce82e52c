import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { start, stop, until } from "../support/processes.ts";
import type { Front, FrontOrigins } from "./front.ts";

/** As in docs/cdn.md. Without optimisation the file compiles in half of the time. */
const PARAMETERS = [
  "-p",
  "http_max_hdr=256",
  "-p",
  "http_req_hdr_len=16k",
  "-p",
  "cc_command=exec gcc -O0 -pthread -fpic -shared -Wl,-x -o %o %s",
];

/** The file as it is shipped, with the addresses of a test. */
export async function startVarnish({ bucket, shim }: FrontOrigins): Promise<Front> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-varnish-"));
  const port = await freePort();
  const vcl = join(folder, "default.vcl");
  const text = readFileSync("cdn-config/varnish/default.vcl", "utf8")
    .replace('.port = "8080"', `.port = "${bucket.port}"`)
    .replace('.port = "8787"', `.port = "${shim.port}"`)
    .replace("127.0.0.1:8080", `${bucket.host}:${bucket.port}`)
    .replaceAll("/noonmark/public/", bucket.path);
  writeFileSync(vcl, text);
  const args = ["-F", "-j", "none", "-n", join(folder, "run"), "-a", `127.0.0.1:${port}`, "-T", "none", "-f", vcl];
  const log = join(folder, "log");
  const child = start("varnishd", [...args, ...PARAMETERS, "-s", "malloc,64m"], log);
  const responds = async () => (await fetch(`http://127.0.0.1:${port}/`)).status > 0;
  await until(
    "Varnish responds, or its file does not compile",
    async () => child.exitCode !== null || (await responds()),
  );
  if (child.exitCode !== null) throw new Error(readFileSync(log, "utf8"));
  return {
    hostname: "127.0.0.1",
    port,
    async stop() {
      await stop(child, "SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

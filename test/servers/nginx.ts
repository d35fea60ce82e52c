import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { run, start, stop, until } from "../support/processes.ts";
import type { Front, FrontOrigins } from "./front.ts";

/** The file as it is shipped, with the addresses of a test. */
export async function startNginx({ shim, sharedShim = shim }: FrontOrigins): Promise<Front & { log(): string }> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-nginx-"));
  const port = await freePort();
  const text = readFileSync("cdn-config/nginx/noonmark.conf", "utf8")
    .replace("127.0.0.1:8787", `${sharedShim.host}:${sharedShim.port}`)
    .replace("127.0.0.1:8081", `127.0.0.1:${port}`)
    .replace("/var/cache/nginx-noonmark", join(folder, "cache"));
  writeFileSync(join(folder, "noonmark.conf"), text);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  mkdirSync(join(folder, "tmp"));
  const main = `load_module /usr/lib/nginx/modules/ngx_http_headers_more_filter_module.so;
user root;
worker_processes 1;
daemon off;
pid nginx.pid;
error_log error.log warn;
events { worker_connections 1024; }
http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path tmp/${name};`).join("\n")}
  include noonmark.conf;
}
`;
  const config = join(folder, "nginx.conf");
  writeFileSync(config, main);
  await run("nginx", ["-t", "-p", folder, "-e", "error.log", "-c", config]);
  const child = start("nginx", ["-p", folder, "-e", "error.log", "-c", config], join(folder, "log"));
  await until("nginx responds", async () => (await fetch(`http://127.0.0.1:${port}/`)).status > 0).catch(
    async (error: unknown) => {
      await stop(child);
      throw error;
    },
  );
  return {
    hostname: "127.0.0.1",
    port,
    asksSharedShim: true,
    log: () => readFileSync(join(folder, "error.log"), "utf8"),
    async stop() {
      await stop(child, "SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * nginx and Varnish with ordinary cache settings, without Noonmark's generated rules. They are the baselines of the
 * fronts bench.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Front } from "../../../servers/front.ts";
import { freePort } from "../../../support/free-port.ts";
import { start, stop, until } from "../../../support/processes.ts";

export function plainNginx(origin: number): Promise<Front> {
  return nginx(
    (port) => `  gzip on;
  gzip_types application/json;
  gzip_proxied any;
  proxy_cache_path cache levels=1:2 keys_zone=plain:10m max_size=256m use_temp_path=off;
  upstream origin { server 127.0.0.1:${origin}; keepalive 32; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_cache plain;
      proxy_cache_use_stale updating;
      proxy_pass http://origin;
    }
  }`,
  );
}

/** Serves one file for every URL, or `FILE.gz` to clients that accept gzip. */
export function staticNginx(file: string): Promise<Front> {
  return nginx(
    (port) => `  default_type application/json;
  server {
    listen 127.0.0.1:${port};
    location / {
      root ${dirname(file)};
      rewrite ^ /${basename(file)} break;
      gzip_static on;
    }
  }`,
  );
}

/** Starts nginx with one worker. */
async function nginx(http: (port: number) => string): Promise<Front> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-plain-nginx-"));
  const port = await freePort();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  mkdirSync(join(folder, "tmp"));
  const text = `user root;
worker_processes 1;
daemon off;
pid nginx.pid;
error_log error.log;
events { worker_connections 1024; }
http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path tmp/${name};`).join("\n")}
${http(port)}
}
`;
  const config = join(folder, "nginx.conf");
  writeFileSync(config, text);
  return front("nginx", ["-p", folder, "-e", "error.log", "-c", config], folder, port);
}

export async function plainVarnish(origin: number): Promise<Front> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-plain-varnish-"));
  const port = await freePort();
  const vcl = join(folder, "default.vcl");
  writeFileSync(vcl, `vcl 4.1;\nbackend default { .host = "127.0.0.1"; .port = "${origin}"; }\n`);
  const args = ["-F", "-j", "none", "-n", join(folder, "run"), "-a", `127.0.0.1:${port}`, "-T", "none", "-f", vcl];
  return front("varnishd", [...args, "-s", "malloc,64m"], folder, port);
}

async function front(command: string, args: readonly string[], folder: string, port: number): Promise<Front> {
  const child = start(command, args, join(folder, "log"));
  await until(`${command} responds`, async () => (await fetch(`http://127.0.0.1:${port}/`)).ok);
  return {
    hostname: "127.0.0.1",
    port,
    async stop() {
      await stop(child, "SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * OpenStack Swift with its S3 interface: a second implementation, which responds 501 to a conditional put. One proxy,
 * account, container and object server on 127.0.0.1, in a temporary folder.
 */
import type { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { run, start, stop, until } from "../support/processes.ts";
import type { S3Server } from "./radosgw.ts";

const SERVERS = ["account", "container", "object"] as const;

export async function startSwift(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-swift-"));
  mkdirSync(join(folder, "disk", "d1"), { recursive: true });
  const children: ChildProcess[] = [];
  const [cachePort, port] = [await freePort(), await freePort()];
  const begin = (command: string, args: readonly string[], name: string) =>
    children.push(start(command, args, join(folder, `${name}.log`)));
  try {
    begin("memcached", ["-l", "127.0.0.1", "-p", String(cachePort), "-u", "nobody", "-m", "16"], "memcached");
    for (const name of SERVERS) {
      const serverPort = await freePort();
      const builder = join(folder, `${name}.builder`);
      await run("swift-ring-builder", [builder, "create", "6", "1", "1"]);
      await run("swift-ring-builder", [builder, "add", `r1z1-127.0.0.1:${serverPort}/d1`, "1"]);
      await run("swift-ring-builder", [builder, "rebalance"]);
      writeFileSync(join(folder, `${name}.conf`), storageServer(folder, name, serverPort));
      begin(`swift-${name}-server`, [join(folder, `${name}.conf`)], name);
    }
    writeFileSync(join(folder, "proxy.conf"), proxyServer(folder, port, cachePort));
    begin("swift-proxy-server", [join(folder, "proxy.conf")], "proxy");
    await until("Swift responds", async () => (await fetch(`http://127.0.0.1:${port}/healthcheck`)).ok);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    accessKeyId: "test:tester",
    secretAccessKey: "testing",
    stop: end,
  };

  /** Each server has child processes, which it ends only on SIGTERM. */
  async function end(): Promise<void> {
    await Promise.all(children.map((child) => stop(child, "SIGTERM")));
    rmSync(folder, { recursive: true, force: true });
  }
}

function storageServer(folder: string, name: string, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
user = root
workers = 0
swift_dir = ${folder}
devices = ${folder}/disk
recon_cache_path = ${folder}
mount_check = false
fallocate_reserve = 0
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`;
}

/** The order matters: s3api before tempauth, or every request is SignatureDoesNotMatch. */
function proxyServer(folder: string, port: number, cachePort: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
user = root
workers = 0
swift_dir = ${folder}
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cachePort}
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`;
}

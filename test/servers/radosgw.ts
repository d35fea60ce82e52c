/**
 * A real S3 server: Ceph's radosgw with one monitor and one in-memory disk, in a temporary folder on 127.0.0.1. It
 * checks signatures, evaluates If-None-Match and If-Match (only unquoted tags) atomically, and starts in about a
 * second.
 */

import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { run, start, stop, until } from "../support/processes.ts";

export interface S3Server {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  stop(): Promise<void>;
}

interface Radosgw extends S3Server {
  /** The path of its ceph.conf, with which radosgw-admin finds it. */
  readonly config: string;
}

const GIBIBYTE = 2 ** 30;

interface RadosgwOptions {
  /** The disk's capacity; it uses memory as it fills. */
  readonly diskBytes?: number;
  readonly port?: number;
}

export async function startRadosgw(options: RadosgwOptions = {}): Promise<Radosgw> {
  const { diskBytes = GIBIBYTE, port = await freePort() } = options;
  const folder = mkdtempSync(join(tmpdir(), "noonmark-radosgw-"));
  for (const name of ["mon", "osd", "run", "log", "rgw"]) mkdirSync(join(folder, name));
  const monitorPort = await freePort();
  const [fsid, osd] = [randomUUID(), randomUUID()];
  const config = join(folder, "ceph.conf");
  const keyring = join(folder, "keyring");
  const map = join(folder, "monmap");
  writeFileSync(config, configuration({ folder, fsid, monitorPort, port, diskBytes }));
  const log = (name: string) => join(folder, "log", `${name}.out`);
  const children: ChildProcess[] = [];
  try {
    await run("ceph-authtool", ["-C", keyring, "--gen-key", "-n", "mon.", "--cap", "mon", "allow *"]);
    await run("monmaptool", [
      "--create",
      "--clobber",
      "--fsid",
      fsid,
      "--addv",
      "a",
      `[v1:127.0.0.1:${monitorPort}/0]`,
      map,
    ]);
    await run("ceph-mon", ["--mkfs", "-i", "a", "--monmap", map, "--keyring", keyring, "-c", config]);
    children.push(start("ceph-mon", ["-i", "a", "-c", config, "-f"], log("mon")));
    let id = "";
    // A monitor that has just started sometimes rejects its first commands (EPERM).
    await until("the monitor accepts commands", async () => {
      id = (await run("timeout", ["30", "ceph", "-c", config, "osd", "new", osd])).trim();
      return true;
    });
    await run("ceph-osd", ["-i", id, "--mkfs", "--osd-uuid", osd, "-c", config]);
    const place = ["-c", config, "osd", "crush", "add", `osd.${id}`, "1", "root=default"];
    await until("the disk has its CRUSH location", async () => run("ceph", place).then(() => true));
    children.push(start("ceph-osd", ["-i", id, "-c", config, "-f"], log("osd")));
    await until("the disk is up", async () => (await run("ceph", ["-c", config, "osd", "stat"])).includes("1 up"));
    children.push(start("radosgw", ["-n", "client.rgw", "-c", config, "-f"], log("rgw")));
    await until("radosgw responds", async () => (await fetch(`http://127.0.0.1:${port}/`)).ok);
    const user = ["user", "create", "--uid=t", "--display-name=t", "--access-key=test:tester", "--secret-key=testing"];
    await run("radosgw-admin", ["-n", "client.rgw", "-c", config, ...user]);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    accessKeyId: "test:tester",
    secretAccessKey: "testing",
    config,
    stop: end,
  };

  async function end(): Promise<void> {
    await Promise.all(children.toReversed().map((child) => stop(child)));
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Cluster {
  readonly folder: string;
  readonly fsid: string;
  readonly monitorPort: number;
  readonly port: number;
  readonly diskBytes: number;
}

/**
 * Unusual lines: fast paxos and nodelay for speed, no crush update to avoid a race at start, no internal
 * authentication.
 */
function configuration({ folder, fsid, monitorPort, port, diskBytes }: Cluster): string {
  return `[global]
fsid = ${fsid}
mon_host = [v1:127.0.0.1:${monitorPort}/0]
ms_bind_msgr2 = false
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
auth_allow_insecure_global_id_reclaim = true
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
mon_data_avail_crit = 1
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_max_pg_per_osd = 2000
paxos_propose_interval = 0.02
paxos_min_wait = 0.01
osd_objectstore = memstore
memstore_device_bytes = ${diskBytes}
memstore_page_set = false
osd_data = ${folder}/osd
osd_class_update_on_start = false
osd_crush_update_on_start = false
osd_class_load_list = *
osd_class_default_list = *
run_dir = ${folder}/run
admin_socket = ${folder}/run/$name.$pid.asok
log_file = ${folder}/log/$name.log
mon_data = ${folder}/mon
[client.rgw]
rgw_frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
rgw_data = ${folder}/rgw
rgw_crypt_require_ssl = false
rgw_enable_usage_log = false
rgw_enable_gc_threads = false
rgw_enable_lc_threads = false
rgw_enable_quota_threads = false
rgw_run_sync_thread = false
rgw_dynamic_resharding = false
rgw_thread_pool_size = 16
rgw_override_bucket_index_max_shards = 1
rgw_dns_name = 127.0.0.1
`;
}

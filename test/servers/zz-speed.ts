import { fork, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { freePort } from "../support/free-port.ts";
import { startNginx } from "./nginx.ts";
import { startVarnish } from "./varnish.ts";
for (const bytes of ["2000", "135000"]) {
  const own = fork(new URL("./front-origins.ts", import.meta.url).pathname, [bytes, "0", "0", "shared"]);
  const [s] = (await once(own, "message")) as [{ bucket: number; shim: number; plain: number }];
  const own2 = fork(new URL("./front-origins.ts", import.meta.url).pathname, [bytes, "0", "0"]);
  const [d] = (await once(own2, "message")) as [{ bucket: number; shim: number; plain: number }];
  const nginx = await startNginx({ bucket: { host: "127.0.0.1", port: s.bucket, path: "/noonmark/" }, shim: { host: "127.0.0.1", port: s.shim } });
  const varnish = await startVarnish({ bucket: { host: "127.0.0.1", port: d.bucket, path: "/noonmark/" }, shim: { host: "127.0.0.1", port: d.shim } });
  const folder = mkdtempSync("/tmp/lab/plain-");
  const np = await freePort();
  writeFileSync(`${folder}/nginx.conf`, `user root; worker_processes 1; daemon off; pid nginx.pid; error_log error.log warn; events { worker_connections 1024; }
http { access_log off; proxy_temp_path t; client_body_temp_path c; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
proxy_cache_path ${folder}/cache levels=1:2 keys_zone=p:10m use_temp_path=off; upstream o { server 127.0.0.1:${s.plain}; keepalive 32; }
server { listen 127.0.0.1:${np}; proxy_cache p; proxy_cache_lock on; proxy_http_version 1.1; proxy_set_header Connection ""; location / { proxy_pass http://o; } } }`);
  const pn = spawn("nginx", ["-p", folder, "-e", "error.log", "-c", `${folder}/nginx.conf`], { stdio: "inherit" });
  const vp = await freePort();
  const pv = spawn("varnishd", ["-F", "-j", "none", "-n", `${folder}/run`, "-a", `127.0.0.1:${vp}`, "-T", "none", "-b", `127.0.0.1:${d.plain}`, "-p", "http_max_hdr=256", "-p", "http_req_hdr_len=16k", "-s", "malloc,64m"], { stdio: "ignore" });
  await new Promise((r) => setTimeout(r, 4000));
  const rate = (port: number) => {
    const out = execFileSync("wrk", ["-t1", "-c8", "-d2s", `http://127.0.0.1:${port}/v4/public/settlements?range=now`], { encoding: "utf8" });
    if (/Non-2xx/.test(out)) console.log(out);
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(out)?.[1]);
  };
  for (const [name, a, b] of [["nginx", nginx.port, np], ["varnish", varnish.port, vp]] as const) {
    const ratios: number[] = [], own: number[] = [], plain: number[] = [];
    for (let i = 0; i < 9; i++) { const x = rate(a), y = rate(b), z = rate(a); own.push((x + z) / 2); plain.push(y); ratios.push((x + z) / 2 / y); }
    const med = (l: number[]) => l.toSorted((p, q) => p - q)[4]!;
    console.log(bytes, name, "median own", med(own).toFixed(0), "plain", med(plain).toFixed(0), "median ratio", med(ratios).toFixed(3), ratios.map((r) => r.toFixed(2)).join(" "));
  }
  await nginx.stop(); await varnish.stop(); pn.kill(); pv.kill(); own.disconnect(); own2.disconnect();
}
process.exit();

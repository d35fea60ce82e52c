/**
 * Varnish configurations with one deliberate fault each: `noonmark verify` finds the fault.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shimContext } from "../../src/shim/context.ts";
import { type ShimServer, startServer } from "../../src/shim/node/node-server.ts";
import type { Finding } from "../../src/verify/report.ts";
import { runCli } from "../support/cli.ts";
import { freePort } from "../support/free-port.ts";
import { run, start, stop, until } from "../support/processes.ts";
import { type FullWorld, fullWorld } from "../verify/support/full-world.ts";

let full: FullWorld;
let shim: ShimServer;
beforeAll(async () => {
  full = await fullWorld(Date.now());
  shim = await shimOver(full);
});
afterAll(async () => {
  await shim?.stop();
  full?.world.end();
});

function shimOver({ world }: FullWorld): Promise<ShimServer> {
  const context = shimContext({ store: world.store, now: Date.now, monotonic: () => performance.now() });
  const defect = (error: unknown) => {
    throw error;
  };
  return startServer(context, { host: "127.0.0.1", port: 0, wallClock: Date.now, defect });
}

/** A cache with only the given VCL. `recv` and the others are bodies of VCL subroutines. */
interface Vcl {
  readonly recv?: string;
  readonly hash?: string;
  readonly fetched?: string;
  readonly deliver?: string;
  /** True if Range requests reach Varnish's own range handling. */
  readonly ranges?: boolean;
}

const CACHES = `if (req.method != "GET" && req.method != "HEAD") { return (pass); }
  set req.http.x-inm = req.http.If-None-Match; unset req.http.If-None-Match; unset req.http.Cookie; return (hash);`;

interface Broken {
  readonly vcl: Vcl;
  readonly only: string;
  readonly rule: RegExp;
}

const BROKEN: Readonly<Record<string, Broken>> = {
  "a default TTL": {
    vcl: {
      recv: CACHES,
      fetched: "set beresp.ttl = 300s; set beresp.grace = 0s; set beresp.uncacheable = false; return (deliver);",
    },
    only: "process",
    rule: /^headers\/age$/,
  },
  "If-None-Match is not stripped": {
    vcl: {
      recv: 'if (req.method != "GET" && req.method != "HEAD") { return (pass); } return (hash);',
      fetched: "set beresp.ttl = 1s; return (deliver);",
    },
    only: "telemetry",
    rule: /^not-modified\/never$/,
  },
  "the query is dropped from the key": {
    vcl: {
      recv: CACHES,
      hash: 'hash_data(regsub(req.url, "\\?.*$", "")); return (lookup);',
      fetched: "set beresp.ttl = 60s; return (deliver);",
    },
    only: "statistics",
    rule: /^answer\/asked-for$/,
  },
  "HTML on errors": {
    vcl: { deliver: "if (resp.status >= 400) { return (synth(resp.status)); }" },
    only: "process",
    rule: /^errors\/body$/,
  },
  "Range is evaluated": {
    vcl: { ranges: true },
    only: "process",
    rule: /^edge\/ignored$/,
  },
  "CORS lost on a 304": {
    vcl: { deliver: "if (resp.status == 304) { unset resp.http.Access-Control-Allow-Origin; }" },
    only: "process",
    rule: /^headers\/cors$/,
  },
  "a 404 is kept": {
    vcl: {
      recv: CACHES,
      fetched:
        "if (beresp.status == 404) { set beresp.ttl = 300s; return (deliver); } set beresp.uncacheable = true; return (deliver);",
    },
    only: "process",
    rule: /^errors\/kept$/,
  },
};

// Each case has a separate Varnish, and verify limits its rate, so most of the time is waiting.
test.concurrent("a correct front gives no finding on one route", async () => {
  const { findings } = await verifyThrough(shim, {}, ["--only", "process"]);
  expect(findings).toEqual([]);
});

test.concurrent.each(Object.entries(BROKEN))("verify finds a broken front: %s", async (_, { vcl, only, rule }) => {
  const { exitCode, findings } = await verifyThrough(shim, vcl, ["--only", only]);
  expect(exitCode).toBe(1);
  const found = findings.filter((finding) => rule.test(finding.rule));
  expect(found, findings.map((one) => one.rule).join(", ")).not.toEqual([]);
});

// Not concurrent, because it must observe an exact instant.
test("verify finds a front that serves a response past valid-until", async () => {
  // The wheel reports every half minute. Its last receipt is 75 to 105 s old now, and becomes stale while verify
  // watches.
  const HALF_MINUTE = 30_000;
  const old = await fullWorld(Math.floor((Date.now() - 75_000) / HALF_MINUTE) * HALF_MINUTE + 1_000);
  const receivedAt = Date.parse(
    (JSON.parse(await old.world.body("/v1/public/telemetry", old.at)) as { receivedAt: string }).receivedAt,
  );
  const own = await shimOver(old);
  const left = Math.max(0, (receivedAt + 128_000 - Date.now()) / 1000);
  try {
    const vcl = {
      recv: CACHES,
      fetched: "unset beresp.http.Date; set beresp.ttl = 600s; return (deliver);",
      deliver: "unset resp.http.Age; unset resp.http.Date;",
    };
    const watch = ["--only", "telemetry", "--watch", String(Math.ceil(left) + 3)];
    const { findings } = await verifyThrough(own, vcl, watch);
    expect(findings.map(({ rule }) => rule)).toContain("clock/online");
  } finally {
    await own.stop();
    old.world.end();
  }
});

async function verifyThrough(origin: ShimServer, vcl: Vcl, flags: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-broken-"));
  const port = await freePort();
  const file = join(folder, "broken.vcl");
  writeFileSync(file, written(origin.port, vcl));
  await run("varnishd", ["-C", "-j", "none", "-f", file, "-n", join(folder, "check")]);
  const args = ["-F", "-j", "none", "-n", join(folder, "run"), "-a", `127.0.0.1:${port}`, "-T", "none", "-f", file];
  const child = start("varnishd", [...args, "-s", "malloc,32m"], join(folder, "log"));
  try {
    await until("Varnish responds", async () => (await fetch(`http://127.0.0.1:${port}/v4/public/process`)).ok);
    const { exitCode, stdout } = await runCli(["verify", `http://127.0.0.1:${port}`, "--json", ...flags], folder);
    return { exitCode, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings };
  } finally {
    await stop(child, "SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  }
}

/** By default passes everything on. */
function written(port: number, { recv = "return (pass);", hash, fetched, deliver = "", ranges = false }: Vcl): string {
  return `vcl 4.1;
backend shim { .host = "127.0.0.1"; .port = "${port}"; }
sub vcl_recv { ${ranges ? "" : "unset req.http.Range;"} ${recv} }
${hash === undefined ? "" : `sub vcl_hash { ${hash} }`}
${fetched === undefined ? "" : `sub vcl_backend_response { ${fetched} }`}
sub vcl_deliver { unset resp.http.Via; unset resp.http.Accept-Ranges; ${deliver} }
`;
}

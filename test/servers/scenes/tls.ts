/** A front that reaches its origins by https. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../support/processes.ts";
import { startFaultProxy } from "../fault-proxy.ts";
import type { Front } from "../front.ts";
import { ask, type Origins } from "./over-proxies.ts";
import type { PublishedWorld } from "./published-world.ts";

/** One response of each kind: an object's, a composed one, one passed on. */
const RESPONSE_KEYS = {
  "/v1/public/telemetry": 200,
  "/v1/public/installations/wheel-1/observations": 200,
  "/v4/public/process?a": 400,
} as const;
const FAILURES = Object.fromEntries(Object.keys(RESPONSE_KEYS).map((path) => [path, 503]));

export interface TlsOptions {
  readonly world: () => PublishedWorld;
  /** `trusted` is the file of trusted certificates. */
  start(origins: Origins, trust: { readonly trusted: string }): Promise<Front>;
}

export function testTls({ world, start }: TlsOptions): void {
  test("https origins are requested by their host names, and their certificates are checked", async () => {
    const folder = mkdtempSync(join(tmpdir(), "noonmark-tls-"));
    try {
      const right = await makeCertificate(folder, "localhost");
      const wrong = await makeCertificate(folder, "elsewhere");
      expect(await statuses(right, right)).toEqual(RESPONSE_KEYS);
      expect(await statuses(right, wrong)).toEqual(FAILURES);
      expect(await statuses(wrong, wrong)).toEqual(FAILURES);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  async function statuses(shown: Certificate, trusted: Certificate): Promise<Record<string, number>> {
    const { bucket, shim } = world().origins;
    const identity = { key: shown.key, cert: readFileSync(shown.certificate) };
    const before = ({ host, port }: { host: string; port: number }) =>
      startFaultProxy(`http://${host}:${port}`, identity);
    const proxies = [await before(bucket), await before(shim)] as const;
    const [bucketPort, shimPort] = proxies.map(({ endpoint }) => Number(new URL(endpoint).port)) as [number, number];
    const secure = { protocol: "https", host: "localhost" } as const;
    const origins = { bucket: { ...bucket, ...secure, port: bucketPort }, shim: { ...secure, port: shimPort } };
    const front = await start(origins, { trusted: trusted.certificate });
    try {
      const found: Record<string, number> = {};
      for (const path of Object.keys(RESPONSE_KEYS)) found[path] = (await ask(front, path)).status;
      return found;
    } finally {
      await front.stop();
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    }
  }
}

interface Certificate {
  /** PEM files. */
  readonly certificate: string;
  readonly key: Buffer;
}

/** A self-signed server certificate for one host name. */
async function makeCertificate(folder: string, host: string): Promise<Certificate> {
  const [certificate, key] = [join(folder, `${host}.pem`), join(folder, `${host}.key`)];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const name = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
  await run("openssl", ["req", ...kind, ...name, "-out", certificate, "-keyout", key]);
  return { certificate, key: readFileSync(key) };
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/processes.ts";

export interface Certificate {
  /** PEM files. */
  readonly certificate: string;
  readonly key: Buffer;
}

/** A server's certificate for one host name, signed by itself. */
export async function makeCertificate(folder: string, host: string): Promise<Certificate> {
  const [certificate, key] = [join(folder, `${host}.pem`), join(folder, `${host}.key`)];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const name = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
  await run("openssl", ["req", ...kind, ...name, "-out", certificate, "-keyout", key]);
  return { certificate, key: readFileSync(key) };
}

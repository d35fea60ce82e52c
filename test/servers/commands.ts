/** Runs commands as real processes over one bucket, with their complete output. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { S3Store } from "../../src/object-store/s3/s3-store.ts";
import { startCli } from "../support/cli.ts";
import { stop } from "../support/processes.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import type { S3Server } from "./radosgw.ts";
import { s3Store } from "./stores/s3-store.ts";

export interface Running {
  readonly process: ChildProcess;
  /** Its output so far, including its log. */
  output(): string;
  /** Its exit code; null if a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** `endpoint` is the server's or a proxy's. Credentials come from the environment. */
export function startOver(store: S3Store, endpoint: string, folder: string, args: readonly string[]): Running {
  const where = ["--store", store.place, "--s3-provider", "ceph", "--s3-endpoint", endpoint];
  const child = startCli([...args, ...where], folder);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data: Buffer) => (output += data.toString()));
  const ended = once(child, "close").then(() => child.exitCode);
  return { process: child, output: () => output, ended };
}

/** The SDK's credential chain; credentials are not settings of ours. */
export function useCredentials({ accessKeyId, secretAccessKey }: S3Server): void {
  process.env.AWS_ACCESS_KEY_ID = accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = secretAccessKey;
}

export interface Commands {
  readonly proxy: FaultProxy;
  /** Bypasses the proxy. */
  readonly store: S3Store;
  /** Starts a command that reaches the store through the proxy. */
  start(...args: string[]): Running;
}

/** A temporary folder and a separate proxy. Commands that still run are killed at the end. */
export async function withCommands(server: S3Server, body: (commands: Commands) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-commands-"));
  const store = s3Store(server);
  const proxy = await startFaultProxy(server.endpoint);
  const started: Running[] = [];
  const start = (...args: string[]) => {
    const running = startOver(store, proxy.endpoint, folder, args);
    started.push(running);
    return running;
  };
  try {
    await body({ proxy, store, start });
  } finally {
    for (const { process } of started) await stop(process);
    await proxy.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

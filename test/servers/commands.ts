/** The command line as real processes over one bucket, with their output to the end. */
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
  /** Its output so far, its log included. */
  output(): string;
  /** Its exit code; null where a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** `endpoint`: of the server or of a proxy in front of it. The credentials are the environment's. */
export function startOver(store: S3Store, endpoint: string, folder: string, args: readonly string[]): Running {
  const where = ["--store", store.name, "--s3-provider", "ceph", "--s3-endpoint", endpoint];
  const child = startCli([...args, ...where], folder);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data: Buffer) => (output += data.toString()));
  const ended = once(child, "close").then(() => child.exitCode);
  return { process: child, output: () => output, ended };
}

/** The SDK's own chain: credentials are no setting of ours. */
export function useCredentials({ accessKeyId, secretAccessKey }: S3Server): void {
  process.env.AWS_ACCESS_KEY_ID = accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = secretAccessKey;
}

export interface Commands {
  readonly proxy: FaultProxy;
  /** Past the proxy. */
  readonly store: S3Store;
  /** Starts a command whose way to the store is the proxy. */
  start(...args: string[]): Running;
}

/** A folder and a proxy of one's own; whatever was started and still runs is ended. */
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

/**
 * Runs the built `serve` while clients pipeline requests and read nothing, and measures the latency of other clients.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { stop } from "../../../test/support/processes.ts";
import type { PlainTimes } from "./plain-readers.ts";

export interface Attack {
  readonly connections: number;
  /** How many of the connections pipeline. The others send one request. */
  readonly pipelining: number;
  /** Requests per pipelining connection, all sent at once. */
  readonly requests: number;
  readonly path: string;
}

export interface Attacked {
  /** Peak resident memory of `serve`. */
  readonly megabytes: number;
  /** Latency of the other clients' requests during the attack. */
  readonly plain: PlainTimes;
}

/** Duration of the attack, ms. */
export const ATTACK_MS = 7_000;
/** Warm-up: ordinary requests before the attack, so that the program's code is compiled. */
const WARM_UP_MS = 1_000;
const PROGRAM = join(import.meta.dirname, "../../../bin/noonmark.js");
const processOf = (name: string) => join(import.meta.dirname, `${name}.ts`);

/** `plainPath` is the path that the other clients request. */
export async function attack(
  directory: string,
  { path, connections, pipelining, requests }: Attack,
  plainPath: string,
): Promise<Attacked> {
  const processes: ChildProcess[] = [];
  const started = (child: ChildProcess) => {
    processes.push(child);
    return child;
  };
  try {
    const serve = started(
      spawn(process.execPath, [PROGRAM, "serve", "--store", directory, "--port", "0"], {
        stdio: ["ignore", "pipe", "ignore"],
      }),
    );
    const [line] = (await once(createInterface({ input: serve.stdout ?? process.stdin }), "line")) as [string];
    const port = /:(\d+)$/.exec(line)?.[1] ?? "";
    const mute = started(
      fork(processOf("mute-readers"), [port, path, String(connections), String(pipelining), String(requests)]),
    );
    await once(mute, "message");
    const others = started(fork(processOf("plain-readers"), [port, plainPath]));
    await wait(WARM_UP_MS);
    await timesOf(others);
    mute.send("attack");
    await wait(ATTACK_MS);
    const plain = await timesOf(others);
    const status = readFileSync(`/proc/${serve.pid}/status`, "utf8");
    return { megabytes: Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024, plain };
  } finally {
    await Promise.all(processes.map((child) => stop(child)));
  }
}

async function timesOf(others: ChildProcess): Promise<PlainTimes> {
  others.send("times");
  const [times] = (await once(others, "message")) as [PlainTimes];
  return times;
}

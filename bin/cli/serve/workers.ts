/**
 * Runs `serve --workers N`: N processes behind one port. The primary serves no requests: it distributes connections,
 * restarts workers, and ends after the last worker. If the primary is killed, Node ends its workers.
 */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { EXIT, Failure } from "../../../src/values/failure.ts";

export interface Workers {
  readonly port: number;
  /** Resolves when every worker has finished its requests and exited. */
  stop(): Promise<void>;
}

/** The primary's message that ends a worker. */
const STOP = "stop";

/** Arguments of each worker. A secret is passed in the environment, which only its user may read. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Resolves when the first worker listens, or with its exit code if it failed and has printed why. Throws `Failure`:
 * `worker_failed`.
 */
export async function startWorkers(count: number, commandLine: CommandLine, log: Logger): Promise<Workers | number> {
  const { args, environment } = commandLine;
  cluster.setupPrimary({ exec: workerFile(), args: [...args] });
  const fork = () => forkInto(environment, log);
  const backoff = new Backoff();
  // The first worker starts before the others: if it fails, all would. With port 0, all use its port.
  const first = fork();
  const port = await portOf(first.worker);
  if (typeof port !== "number") return port.exitCode;
  const supervisor = new Supervisor(fork, log);
  supervisor.watch(first, backoff);
  for (let index = 1; index < count; index++) supervisor.watch(fork(), new Backoff());
  return { port, stop: () => supervisor.stop() };
}

/** In a worker: resolves when the primary asks it to end. */
export function toldToStop(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onMessage = (message: unknown) => {
    if (message !== STOP) return;
    process.off("message", onMessage);
    resolve();
  };
  process.on("message", onMessage);
  return promise;
}

interface Started {
  readonly worker: Worker;
  /** A value of `performance.now()`. */
  readonly at: number;
}

function forkInto(environment: Readonly<Record<string, string>>, log: Logger): Started {
  const worker = cluster.fork(environment);
  worker.once("listening", () => log.info({ pid: worker.process.pid }, "a worker listens"));
  return { worker, at: performance.now() };
}

class Supervisor {
  readonly #fork: () => Started;
  readonly #log: Logger;
  readonly #running = new Set<Worker>();
  readonly #waiting = new Set<NodeJS.Timeout>();
  #isStopping = false;

  constructor(fork: () => Started, log: Logger) {
    this.#fork = fork;
    this.#log = log;
  }

  watch({ worker, at }: Started, backoff: Backoff): void {
    this.#running.add(worker);
    worker.once("exit", (code, signal) => {
      this.#running.delete(worker);
      if (this.#isStopping) return;
      const wait = backoff.after(performance.now() - at);
      const { pid } = worker.process;
      this.#log.error({ pid, code, signal, startedAgainInMs: wait }, "a worker has ended");
      const timer = setTimeout(() => {
        this.#waiting.delete(timer);
        this.watch(this.#fork(), backoff);
      }, wait);
      this.#waiting.add(timer);
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#waiting) clearTimeout(timer);
    await Promise.all([...this.#running].map(ended));
  }
}

async function ended(worker: Worker): Promise<void> {
  const exit = once(worker, "exit");
  // A signal to all processes may already have ended this worker.
  const sendStop = () => worker.send(STOP, () => {});
  sendStop();
  // A starting worker loses earlier messages, because it does not listen to its primary yet.
  worker.once("listening", sendStop);
  await exit;
}

/** Returns the first worker's port, or its exit code. */
async function portOf(first: Worker): Promise<number | { readonly exitCode: number }> {
  const isOver = new AbortController();
  const { signal } = isOver;
  const listening = once(first, "listening", { signal }).then(([address]) => (address as { port: number }).port);
  const exit = once(first, "exit", { signal }).then(([code, killedBy]) => {
    if (typeof code === "number" && code !== EXIT.done) return { exitCode: code };
    throw new Failure("worker_failed", `the first worker ended (${killedBy ?? code}) before it listened`, {
      exit: EXIT.failed,
      hint: "If nobody stopped it, check that the host has enough memory for another process.",
    });
  });
  // The promise that loses the race ends with an AbortError, which is ignored.
  const settled = Promise.allSettled([listening, exit]);
  try {
    return await Promise.race([listening, exit]);
  } finally {
    isOver.abort();
    await settled;
  }
}

/** Returns the worker's file: source or built, like this one. */
function workerFile(): string {
  return fileURLToPath(new URL(`./worker-entry${extname(import.meta.url)}`, import.meta.url));
}

const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 10_000;
/** A process that lived for this long (ms) counts as started. */
const STARTED_AFTER_MS = 30_000;

/** The wait before a process is restarted. It doubles each time that the process ends soon. */
export class Backoff {
  #next = FIRST_WAIT_MS;

  /** `lived` is the ms from start to end. */
  after(lived: number): number {
    if (lived >= STARTED_AFTER_MS) this.#next = FIRST_WAIT_MS;
    const wait = this.#next;
    this.#next = Math.min(MAX_WAIT_MS, wait * 2);
    return wait;
  }
}

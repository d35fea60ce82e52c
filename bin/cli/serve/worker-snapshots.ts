/**
 * Sums the counts of the workers of `serve` in their primary. The sums keep the last counts of workers that have ended,
 * so that no total falls.
 */
import cluster, { type Worker } from "node:cluster";
import { Registry } from "@prometheus-io/client";

/** One process's result of `Registry.getMetricsAsJSON`. */
type Snapshot = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** The primary's message to a worker. */
const REQUEST = "metrics?";
interface Reported {
  readonly metrics: Snapshot;
}

/** If a worker takes longer, its previous report counts. */
const REPORT_TIMEOUT_MS = 1_000;

/** In a worker: sends its counts when the primary requests them. */
export function answerPrimary(registry: Registry, defect: (error: unknown) => void): void {
  process.on("message", (message) => {
    if (message !== REQUEST) return;
    registry.getMetricsAsJSON().then((metrics) => process.send?.({ metrics } satisfies Reported), defect);
  });
}

export class WorkerSnapshots {
  readonly #last = new Map<number, Snapshot>();
  readonly #waiting = new Map<number, () => void>();
  #ended: Snapshot = [];

  constructor() {
    cluster.on("message", (worker, message: unknown) => {
      if (!isReport(message)) return;
      this.#last.set(worker.id, message.metrics);
      this.#waiting.get(worker.id)?.();
    });
    cluster.on("exit", (worker) => void this.#end(worker));
  }

  /** Returns all counts in Prometheus' text format; `own` are the primary's. */
  async metrics(own: Registry): Promise<string> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map((worker) => this.#ask(worker)));
    const all = [await own.getMetricsAsJSON(), this.#ended, ...this.#last.values()];
    return Registry.aggregate(all).metrics();
  }

  async #ask(worker: Worker): Promise<void> {
    if (!worker.isConnected()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, REPORT_TIMEOUT_MS);
    const before = this.#waiting.get(worker.id);
    this.#waiting.set(worker.id, () => {
      before?.();
      resolve();
    });
    // A worker that ends meanwhile cannot respond; its exit resolves the promise.
    if (before === undefined) worker.send(REQUEST, () => {});
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(worker.id);
  }

  async #end(worker: Worker): Promise<void> {
    const last = this.#last.get(worker.id) ?? [];
    this.#last.delete(worker.id);
    this.#waiting.get(worker.id)?.();
    const totals = last.filter(({ type }) => String(type) === "counter" || String(type) === "histogram");
    this.#ended = await Registry.aggregate([this.#ended, totals]).getMetricsAsJSON();
  }
}

function isReport(message: unknown): message is Reported {
  return typeof message === "object" && message !== null && "metrics" in message;
}

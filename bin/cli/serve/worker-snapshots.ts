/**
 * The counts of the workers of `serve`, summed in their primary. A worker that has ended keeps its last counts in the sums,
 * so that no total ever falls.
 */
import cluster, { type Worker } from "node:cluster";
import { Registry } from "@prometheus-io/client";

/** As `Registry.getMetricsAsJSON` returns it, for one process. */
type Snapshot = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** The messages between primary and worker. */
const ASKED = "metrics?";
interface Told {
  readonly metrics: Snapshot;
}

/** A worker that takes longer is counted by its last report. */
const PATIENCE_MS = 1_000;

/** In a worker: sends its counts whenever the primary asks. */
export function tellPrimary(registry: Registry, defect: (error: unknown) => void): void {
  process.on("message", (message) => {
    if (message !== ASKED) return;
    registry.getMetricsAsJSON().then((metrics) => process.send?.({ metrics } satisfies Told), defect);
  });
}

export class WorkerSnapshots {
  readonly #last = new Map<number, Snapshot>();
  readonly #waiting = new Map<number, () => void>();
  #ended: Snapshot = [];

  constructor() {
    cluster.on("message", (worker, message: unknown) => {
      if (!isTold(message)) return;
      this.#last.set(worker.id, message.metrics);
      this.#waiting.get(worker.id)?.();
    });
    cluster.on("exit", (worker) => void this.#end(worker));
  }

  /** `own`: the primary's own counts. In Prometheus' text format. */
  async metrics(own: Registry): Promise<string> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map((worker) => this.#ask(worker)));
    const all = [await own.getMetricsAsJSON(), this.#ended, ...this.#last.values()];
    return Registry.aggregate(all).metrics();
  }

  async #ask(worker: Worker): Promise<void> {
    if (!worker.isConnected()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, PATIENCE_MS);
    const before = this.#waiting.get(worker.id);
    this.#waiting.set(worker.id, () => {
      before?.();
      resolve();
    });
    // A worker that ends meanwhile cannot be asked, and its end resolves this.
    if (before === undefined) worker.send(ASKED, () => {});
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

function isTold(message: unknown): message is Told {
  return typeof message === "object" && message !== null && "metrics" in message;
}

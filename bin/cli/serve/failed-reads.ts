/**
 * Logs reads of `serve` that fail. Requests alone would not show when a failure is over, because nobody may repeat the
 * one that failed. So it is repeated here.
 */
import type { Logger } from "pino";
import { StoreDamaged, StoreUnavailable } from "../../../src/object-store/object-store.ts";
import type { ShimDependencies } from "../../../src/shim/context.ts";
import { knownHint } from "../failures.ts";
import { logProblem } from "../log.ts";
import { Outage } from "../outage.ts";

/** Interval (ms) between two repetitions of what failed. */
const REPEATED_EVERY_MS = 10_000;

export interface FailedReads {
  readonly report: NonNullable<ShimDependencies["report"]>;
  /** Repeats nothing more. */
  stop(): void;
}

export function failedReads(log: Logger, monotonic: () => number): FailedReads {
  const outage = (fails: string, isOver: string) =>
    new Outage(monotonic, {
      lasts: (error, failures) => logProblem(log, fails, error, { failures, hint: knownHint(error) }),
      ended: (afterMs) => log.info({ afterMs }, isOver),
    });
  const store = outage("the store cannot be read", "the store can be read again");
  const damage = outage("an object is damaged", "every damaged object is whole again");
  /** The reads that failed and have not succeeded since, by the damaged key; "" for the store. */
  const failed = new Map<string, () => unknown>();
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const repeat = async (key: string, again: () => unknown) => {
    try {
      await again();
    } catch (error) {
      if (error instanceof StoreUnavailable) return;
      throw error;
    }
    failed.delete(key);
    if (failed.size === 0) stop();
    (key === "" ? store : damage).succeeded(key);
  };
  return {
    stop,
    report(error, again) {
      const key = error instanceof StoreDamaged ? error.key : "";
      (key === "" ? store : damage).failed(error, key);
      failed.set(key, again);
      timer ??= setInterval(() => {
        for (const [one, read] of failed) void repeat(one, read);
      }, REPEATED_EVERY_MS).unref();
    },
  };
}

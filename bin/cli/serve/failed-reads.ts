/**
 * Logs reads of `serve` that fail. Requests alone would not show when a failure is over, because nobody may repeat the one
 * that failed. So it is repeated here.
 */
import type { Logger } from "pino";
import { StoreDamaged, StoreUnavailable } from "../../../src/object-store/object-store.ts";
import type { ShimDependencies } from "../../../src/shim/context.ts";
import { knownHint } from "../hints.ts";
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
  const store = failedRead(log, monotonic, ["the store cannot be read", "the store can be read again"]);
  const damage = failedRead(log, monotonic, ["an object is damaged", "the damaged object is whole again"]);
  return {
    report: (error, again) => (error instanceof StoreDamaged ? damage : store).report(error, again),
    stop() {
      store.stop();
      damage.stop();
    },
  };
}

function failedRead(log: Logger, monotonic: () => number, [fails, isOver]: readonly [string, string]): FailedReads {
  const outage = new Outage(monotonic, {
    lasts: (error, failures) => logProblem(log, fails, error, { failures, hint: knownHint(error) }),
    ended: (afterMs) => log.info({ afterMs }, isOver),
  });
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    stop,
    report(error, again) {
      outage.failed(error);
      timer ??= setInterval(async () => {
        try {
          await again();
        } catch (error) {
          if (error instanceof StoreUnavailable) return;
          throw error;
        }
        stop();
        outage.succeeded();
      }, REPEATED_EVERY_MS).unref();
    },
  };
}

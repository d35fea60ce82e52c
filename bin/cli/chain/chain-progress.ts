import { SingleBar } from "cli-progress";
import type { RangeProgress } from "../../../src/chain/poll-event.ts";

/** Blocks, events, rate and time left of a sync, on a terminal alone (docs/spec/chain.md#reading). */
export interface ChainProgress {
  /** Events stored so far. */
  readonly events: number;
  advance(range: RangeProgress): void;
  stop(): void;
}

/** `now` gives milliseconds. */
export function chainProgress(terminal: NodeJS.WriteStream, now: () => number): ChainProgress {
  const bar = terminal.isTTY
    ? new SingleBar({
        stream: terminal,
        format:
          "{bar} {percentage}% | block {block} of {safe} | {events} events | {rate} events/s | {eta_formatted} left",
        fps: 10,
        clearOnComplete: true,
        gracefulExit: false,
      })
    : undefined;
  const begun = now();
  let events = 0;
  let running = false;
  return {
    get events() {
      return events;
    },
    advance(range) {
      events += range.events;
      const rate = Math.round((events * 1000) / Math.max(1, now() - begun));
      const figures = { block: String(range.through), safe: String(range.safe), events, rate };
      const [total, done] = [Number(range.safe - range.from) + 1, Number(range.through - range.from) + 1];
      if (!running) bar?.start(total, 0, figures);
      running = true;
      bar?.setTotal(total);
      bar?.update(done, figures);
    },
    stop() {
      if (running) bar?.stop();
      running = false;
    },
  };
}

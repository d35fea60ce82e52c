/** Shows progress bars on a terminal, and nothing elsewhere. */
import { SingleBar } from "cli-progress";

export interface Progress {
  /** Shows the bar with `figures` in the placeholders of its format. */
  show(done: number, total: number, figures?: Readonly<Record<string, string | number>>): void;
  /** Clears the bar's line, so that other output can be printed. */
  clear(): void;
  stop(): void;
}

const NONE: Progress = { show() {}, clear() {}, stop() {} };

export function progressBar(terminal: NodeJS.WriteStream, format: string): Progress {
  if (!terminal.isTTY) return NONE;
  const bar = new SingleBar({ stream: terminal, format, fps: 10, clearOnComplete: true, gracefulExit: false });
  let isRunning = false;
  return {
    show(done, total, figures) {
      if (!isRunning) bar.start(total, 0, figures);
      isRunning = true;
      bar.setTotal(total);
      bar.update(done, figures);
    },
    clear: () => terminal.write("\r\u001b[K"),
    stop() {
      if (isRunning) bar.stop();
      isRunning = false;
    },
  };
}

export interface IntakeProgress extends Pick<Progress, "clear" | "stop"> {
  advance(bytes: number, lines: number): void;
}

/** Shows lines, rate and, if `size` (bytes) is known, the remaining time (docs/spec/intake.md#codes). */
export function intakeProgress(terminal: NodeJS.WriteStream, size: number | undefined): IntakeProgress {
  const figures = "{lines} lines | {rate} lines/s";
  const format = size === undefined ? figures : `{bar} {percentage}% | ${figures} | {eta_formatted} left`;
  const { show, clear, stop } = progressBar(terminal, format);
  const start = performance.now();
  return {
    advance(bytes, lines) {
      const rate = ratePerSecond(lines, start);
      show(Math.min(bytes, size ?? bytes), size ?? 0, { lines, rate });
    },
    clear,
    stop,
  };
}

/** `start` is a value of `performance.now()`. */
export function ratePerSecond(count: number, start: number): number {
  return Math.round((count * 1000) / Math.max(1, performance.now() - start));
}

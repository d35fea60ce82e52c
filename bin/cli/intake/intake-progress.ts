import { SingleBar } from "cli-progress";

/** Lines, rate and, where the size is known, the time left: on a terminal alone (docs/spec/intake.md#codes). */
export interface IntakeProgress {
  advance(bytes: number, lines: number): void;
  /** Takes the bar off the screen, so that something else can be printed there. */
  clear(): void;
  stop(): void;
}

/** `size` in bytes, undefined for a pipe; `now` gives milliseconds. */
export function intakeProgress(
  terminal: NodeJS.WriteStream,
  size: number | undefined,
  now: () => number,
): IntakeProgress {
  if (!terminal.isTTY) return { advance: () => undefined, clear: () => undefined, stop: () => undefined };
  const figures = "{lines} lines | {rate} lines/s";
  const bar = new SingleBar({
    stream: terminal,
    format: size === undefined ? figures : `{bar} {percentage}% | ${figures} | {eta_formatted} left`,
    fps: 10,
    clearOnComplete: true,
    gracefulExit: false,
  });
  const start = now();
  bar.start(size ?? 0, 0, { lines: 0, rate: 0 });
  return {
    advance(bytes, lines) {
      const rate = Math.round((lines * 1000) / Math.max(1, now() - start));
      bar.update(Math.min(bytes, size ?? bytes), { lines, rate });
    },
    clear: () => terminal.write("\r\u001b[K"),
    stop: () => bar.stop(),
  };
}

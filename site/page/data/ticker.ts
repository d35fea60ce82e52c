/** The page's one running clock: it updates everything that counts up, and nothing in a hidden tab. */

const TICK_MS = 1_000;

interface Listener {
  /** In ticks. */
  readonly every: number;
  readonly call: () => void;
}

const listeners = new Set<Listener>();
let timer: ReturnType<typeof setInterval> | undefined;
let ticks = 0;

/** Calls each `every` ms, whole seconds; returns what ends it. */
export function eachTick(every: number, call: () => void): () => void {
  const listener = { every: every / TICK_MS, call };
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  if (document.visibilityState === "hidden") return;
  ticks += 1;
  for (const { every, call } of listeners) if (ticks % every === 0) call();
}

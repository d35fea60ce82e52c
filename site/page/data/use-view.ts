/** Hooks that give components views and the current time. */
import { useEffect, useReducer } from "preact/hooks";
import { now } from "./browser.ts";
import type { View, ViewState } from "./view.ts";

/** The interval (ms) of the page's clock. */
const TICK_MS = 1_000;
const SLOW_MS = 15_000;

/** Returns the view's state, and updates it while the component is shown. */
export function useView<Body>(view: View<Body>): ViewState<Body> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => view.watch(() => redraw(undefined)), [view]);
  return view.state;
}

/** Returns epoch ms for a panel's ages, updated every 15 s while the tab is shown. */
export function useSlowNow(): number {
  return useNow(SLOW_MS);
}

/** Returns epoch ms, updated every `every` ms (1 s by default) while the tab is shown. */
export function useNow(every = TICK_MS): number {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => eachTick(every, () => redraw(undefined)), [every]);
  return now();
}

interface Listener {
  /** Interval in ticks. */
  readonly every: number;
  readonly call: () => void;
}

const listeners = new Set<Listener>();
let timer: ReturnType<typeof setInterval> | undefined;
let ticks = 0;

/** Calls `call` every `every` ms (whole seconds), using the page's only timer. Returns a function that stops it. */
function eachTick(every: number, call: () => void): () => void {
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

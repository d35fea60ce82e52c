/** Views and the current time, as components read them. */
import { useEffect, useReducer } from "preact/hooks";
import { now } from "./browser.ts";
import type { View, ViewState } from "./view.ts";

/** The interval of the page's clock. */
const TICK_MS = 1_000;
const SLOW_MS = 15_000;

/** The view is updated while the component is shown. */
export function useView<Body>(view: View<Body>): ViewState<Body> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => view.watch(() => redraw(undefined)), [view]);
  return view.state;
}

/** Epoch ms, for a panel's ages: updated every 15 s while the tab is shown. */
export function useSlowNow(): number {
  return useNow(SLOW_MS);
}

/** Epoch ms, updated each second (or each `every` ms) while the tab is shown. */
export function useNow(every = TICK_MS): number {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => eachTick(every, () => redraw(undefined)), [every]);
  return now();
}

interface Listener {
  /** In ticks. */
  readonly every: number;
  readonly call: () => void;
}

const listeners = new Set<Listener>();
let timer: ReturnType<typeof setInterval> | undefined;
let ticks = 0;

/** Calls each `every` ms (whole seconds) by the page's one timer. Call the result to end it. */
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

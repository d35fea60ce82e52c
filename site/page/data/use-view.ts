/** Views and the running second as components read them. */
import { useEffect, useReducer } from "preact/hooks";
import { now } from "./browser.ts";
import type { View, ViewState } from "./view.ts";

const SECOND_MS = 1000;

/** The view is asked for as long as the component is shown. */
export function useView<Body>(view: View<Body>): ViewState<Body> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => view.watch(() => redraw(undefined)), [view]);
  return view.state;
}

/** Epoch ms, updated each second (or each `every` ms) while the tab is shown. */
export function useNow(every = SECOND_MS): number {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => eachTick(every, () => redraw(undefined)), [every]);
  return now();
}

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

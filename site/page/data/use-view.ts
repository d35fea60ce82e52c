/** Views and the running second as components read them. */
import { useEffect, useReducer } from "preact/hooks";
import { now } from "./browser.ts";
import { eachTick } from "./ticker.ts";
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

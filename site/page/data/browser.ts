/** The browser environment of views, and an estimate of the server's clock. */
import type { BrowserEnvironment } from "./view.ts";

/** Smaller differences are ignored, because Date has whole seconds and the network adds a delay. */
const TOLERANCE_MS = 5_000;

let ahead = 0;

/** Returns the server's time (epoch ms). Ages must not depend on the reader's clock. */
export function now(): number {
  return Date.now() + ahead;
}

/** Updates the difference between the reader's and the server's clock from a response's Date and Age. */
export function learnTime(headers: Headers): void {
  const date = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(date)) return;
  const offset = date + Number(headers.get("age") ?? 0) * 1000 - Date.now();
  ahead = Math.abs(offset) > TOLERANCE_MS ? offset : 0;
}

export const BROWSER: BrowserEnvironment = {
  now,
  random: () => Math.random(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  isHidden: () => document.visibilityState === "hidden",
  onChange(call) {
    const end = new AbortController();
    const { signal } = end;
    document.addEventListener("visibilitychange", call, { signal });
    addEventListener("pageshow", call, { signal });
    addEventListener("online", call, { signal });
    return () => end.abort();
  },
};

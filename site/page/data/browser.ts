/** The browser for views, and the server's clock as far as it is known. */
import type { BrowserEnvironment } from "./view.ts";

/** Date has whole seconds and is some network away; below this the reader's clock is believed. */
const TOLERANCE_MS = 5_000;

let ahead = 0;

/** Epoch ms as the server counts it: ages must not depend on the clock of the reader's machine. */
export function now(): number {
  return Date.now() + ahead;
}

/** Learns from a response's Date and Age how far the reader's clock is off. */
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

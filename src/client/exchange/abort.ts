/** Being told to stop: before, during and between requests. */
import { NoonmarkError } from "../noonmark-error.ts";
import type { Runtime } from "./runtime.ts";

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedBy(signal);
}

export function abortedBy(signal: AbortSignal | undefined): NoonmarkError {
  return new NoonmarkError("aborted", "the signal was aborted", { cause: signal?.reason });
}

/** Calls `act` when the signal is aborted, unless the function it returns is called before. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  signal?.addEventListener("abort", act);
  return () => signal?.removeEventListener("abort", act);
}

/** Waits, or throws `aborted`. */
export async function pause(ms: number, signal: AbortSignal | undefined, runtime: Runtime): Promise<void> {
  throwIfAborted(signal);
  await new Promise<void>((resolve) => {
    const done = () => {
      cancel();
      forget();
      resolve();
    };
    const cancel = runtime.after(ms, done);
    const forget = onAbort(signal, done);
  });
  throwIfAborted(signal);
}

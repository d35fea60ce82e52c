/** Being told to stop: before, during and between requests. */
import { NoonmarkError } from "../noonmark-error.ts";
import type { Runtime } from "./runtime.ts";

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedBy(signal);
}

export function abortedBy({ reason }: AbortSignal): NoonmarkError {
  return new NoonmarkError("aborted", "the caller's signal was aborted", { cause: reason });
}

/** Calls `act` when the signal is aborted, unless the function it returns is called before. */
export function onAbort(signal: AbortSignal | undefined, act: (signal: AbortSignal) => void): () => void {
  const listen = () => signal !== undefined && act(signal);
  signal?.addEventListener("abort", listen);
  return () => signal?.removeEventListener("abort", listen);
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

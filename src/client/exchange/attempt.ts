/** One request and the whole of its answer, within a time. */
import { NoonmarkError } from "../noonmark-error.ts";
import { abortedBy, onAbort, throwIfAborted } from "./abort.ts";
import type { Runtime } from "./runtime.ts";

export interface Request {
  readonly url: string;
  readonly init: RequestInit;
  /** Milliseconds for the whole answer. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

export interface Reply {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Throws `network` for a connection that fails or an answer that is cut short, `timeout` and `aborted`. */
export async function attempt({ url, init, timeout, signal }: Request, runtime: Runtime): Promise<Reply> {
  throwIfAborted(signal);
  const controller = new AbortController();
  const cleanUp: (() => void)[] = [];
  // An injected fetch may not listen to its signal: the race ends with ours all the same.
  const stopped = new Promise<never>((_, reject) => {
    const stop = (error: NoonmarkError) => {
      reject(error);
      controller.abort(error);
    };
    cleanUp.push(
      runtime.after(timeout, () => stop(new NoonmarkError("timeout", `${url} took more than ${timeout} ms`))),
      onAbort(signal, (aborted) => stop(abortedBy(aborted))),
    );
  });
  try {
    return await Promise.race([read(url, { ...init, signal: controller.signal }, runtime), stopped]);
  } catch (cause) {
    if (cause instanceof NoonmarkError) throw cause;
    throw new NoonmarkError("network", `${url} cannot be read`, { cause });
  } finally {
    for (const act of cleanUp) act();
  }
}

async function read(url: string, init: RequestInit, { fetch }: Runtime): Promise<Reply> {
  const response = await fetch(url, init);
  return { url, status: response.status, headers: response.headers, text: await response.text() };
}

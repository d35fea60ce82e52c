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

/** Characters that are read of a body; none of the API's comes near it. */
const MAX_CHARACTERS = 8 << 20;

/**
 * Throws `network` for a connection that fails or an answer that is cut short, `timeout` and `aborted`, and
 * `invalid_answer` for a redirect and for a body without an end.
 */
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
      onAbort(signal, () => stop(abortedBy(signal))),
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
  // Workers know no "error" here. By "manual" a page is shown an opaque answer, every other runtime the redirect itself.
  const response = await fetch(url, { ...init, redirect: "manual" });
  const { status, headers } = response;
  if (response.type === "opaqueredirect" || (status > 300 && status < 400 && status !== 304)) {
    throw new NoonmarkError("invalid_answer", `${url} redirects: set baseUrl to where it leads`, { status });
  }
  return { url, status, headers, text: await textOf(url, response) };
}

async function textOf(url: string, { status, body }: Response): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > MAX_CHARACTERS) {
      reader?.cancel().catch(() => undefined);
      throw new NoonmarkError("invalid_answer", `${url} has too long a body`, { status });
    }
  }
}

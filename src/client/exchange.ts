/** Sends a request until it gets a 200 or 304, with a time limit per attempt and a number of retries. */
import { CLIENT_WAITS, waitMs } from "../values/backoff.ts";
import { NoonmarkError } from "./noonmark-error.ts";

export async function exchange(request: Request, retries: number, runtime: Runtime): Promise<Reply> {
  for (let failures = 1; ; failures++) {
    try {
      const reply = await attempt(request, runtime);
      if (reply.status === 200 || reply.status === 304) return reply;
      throw refusal(reply, request.codes ?? [], runtime.now());
    } catch (thrown) {
      const error = thrown as NoonmarkError;
      if (failures > retries || !isTransient(error)) throw error;
      const wait = waitMs(CLIENT_WAITS, failures, runtime.random(), (error.retryAfter ?? 0) * 1000);
      await pause(wait, request.signal, runtime);
    }
  }
}

interface Reading {
  readonly fetch?: Fetch | undefined;
  /** Time limit (ms) of each attempt. */
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Returns a function that reads the files below a URL with a slash at its end; undefined for 404. */
export function fileReader(
  prefix: string,
  { fetch, timeout = 10_000, retries = 2, signal }: Reading = {},
): (path: string) => Promise<Uint8Array | undefined> {
  const runtime = systemRuntime(fetch);
  return async (path) => {
    throwIfAborted(signal);
    try {
      const { bytes } = await exchange({ url: prefix + path, init: {}, timeout, signal }, retries, runtime);
      return bytes;
    } catch (error) {
      if (error instanceof NoonmarkError && error.status === 404) return undefined;
      throw error;
    }
  };
}

function isTransient({ code, status }: NoonmarkError): boolean {
  return status === 503 || code === "network" || code === "timeout";
}

/** Returns the error for a response, with the code of its body if a 4xx or 503 has one of these. */
function refusal({ url, status, headers, bytes }: Reply, codes: readonly string[], now: number): NoonmarkError {
  const given = status === 503 || (status >= 400 && status < 500) ? errorCode(bytes) : undefined;
  const code = codes.find((one) => one === given) ?? "invalid_response";
  const retryAfter = retryAfterSeconds(headers.get("retry-after"), now);
  return new NoonmarkError(code, `${url} responded ${status}`, { status, retryAfter });
}

function errorCode(bytes: Uint8Array): unknown {
  try {
    return (jsonOf(bytes) as { readonly error?: unknown }).error;
  } catch {
    return undefined;
  }
}

/** Parses JSON in UTF-8. */
export function jsonOf(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** Returns the seconds from `now` (epoch ms); null if the header is absent or invalid. */
function retryAfterSeconds(header: string | null, now: number): number | null {
  const text = header ?? "";
  // Accepts only HTTP dates, because engines parse almost any text as a date.
  const date = /^[A-Z][a-z]+, .+ GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.max(0, Math.ceil((date - now) / 1000));
  return Number.isFinite(seconds) ? seconds : null;
}

interface Request {
  readonly url: string;
  readonly init: RequestInit;
  /** Time limit (ms) for the whole response. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  /** The codes that the server may give to an error. No other text of it becomes a code; absent: none does. */
  readonly codes?: readonly string[];
}

export interface Reply {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** The maximum length of a body. The API's bodies are much smaller; the largest possible bundle of a log has 16.8 MB. */
const MAX_BYTES = 17 << 20;

/**
 * Sends one request and reads its whole body. Throws `network` if the connection fails or the body is cut, `timeout`,
 * `aborted`, or `invalid_response` for a redirect or a body over the limit.
 */
async function attempt({ url, init, timeout, signal }: Request, runtime: Runtime): Promise<Reply> {
  throwIfAborted(signal);
  const controller = new AbortController();
  const cleanUp: (() => void)[] = [];
  // An injected fetch may ignore its signal, so the race ends the attempt.
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
  // Workers do not support "error". With "manual", a page gets an opaque response, and others the redirect itself.
  const response = await fetch(url, { ...init, redirect: "manual" });
  const { status, headers } = response;
  if (response.type === "opaqueredirect" || (status > 300 && status < 400 && status !== 304)) {
    throw new NoonmarkError("invalid_response", `${url} redirects: set baseUrl to its target`, { status });
  }
  return { url, status, headers, bytes: await bytesOf(url, response) };
}

async function bytesOf(url: string, { status, body }: Response): Promise<Uint8Array> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) {
      const bytes = new Uint8Array(length);
      for (const chunk of chunks.toReversed()) bytes.set(chunk, (length -= chunk.length));
      return bytes;
    }
    chunks.push(value);
    length += value.length;
    if (length > MAX_BYTES) {
      reader?.cancel().catch(() => undefined);
      throw new NoonmarkError("invalid_response", `${url} is too long`, { status });
    }
  }
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedBy(signal);
}

function abortedBy(signal: AbortSignal | undefined): NoonmarkError {
  return new NoonmarkError("aborted", "the signal was aborted", { cause: signal?.reason });
}

/** Calls `act` when the signal is aborted. Returns a function that cancels this. */
function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  signal?.addEventListener("abort", act);
  return () => signal?.removeEventListener("abort", act);
}

/** Waits for `ms`. Throws `aborted` immediately if the signal is aborted. */
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

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Runtime {
  /** Epoch milliseconds. */
  now(): number;
  /** Returns a number from 0 (included) to 1 (excluded). */
  random(): number;
  /** Calls `act` once after `ms`. Returns a function that cancels this. */
  after(ms: number, act: () => void): () => void;
  readonly fetch: Fetch;
  /**
   * True if the browser's HTTP cache revalidates. Unlike an explicit If-None-Match, that needs no preflight. A 304 then
   * appears as the stored 200.
   */
  readonly ownCache: boolean;
}

/** The longest delay of a timer; longer ones fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function systemRuntime(fetch: Fetch | undefined): Runtime {
  return {
    now: () => Date.now(),
    random: () => Math.random(),
    after(ms, act) {
      const timer = setTimeout(act, Math.min(ms, MAX_TIMER_MS));
      return () => clearTimeout(timer);
    },
    // Not passed as a method, because the browser's fetch requires window as `this`.
    fetch: (url, init) => (fetch ?? globalThis.fetch)(url, init),
    // Only browsers and their workers have a userAgent that starts with this.
    ownCache: globalThis.navigator?.userAgent?.startsWith("Mozilla/") ?? false,
  };
}

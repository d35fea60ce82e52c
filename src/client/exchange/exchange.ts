/** A request until it is answered with 200 or 304, or until nothing is left to try. */
import { NoonmarkError } from "../noonmark-error.ts";
import { pause } from "./abort.ts";
import { attempt, type Reply, type Request } from "./attempt.ts";
import type { Runtime } from "./runtime.ts";

/** However long a server would have its readers wait. */
const MAX_WAIT_SECONDS = 30;
/** Full jitter: anything from nothing to the base doubled with each failure. */
const BASE_WAIT_MS = 500;
const MAX_JITTER_MS = 8_000;

export async function exchange(request: Request, retries: number, runtime: Runtime): Promise<Reply> {
  for (let failures = 0; ; failures++) {
    try {
      const reply = await attempt(request, runtime);
      if (reply.status === 200 || reply.status === 304) return reply;
      throw refusal(reply, runtime.now());
    } catch (thrown) {
      const error = thrown as NoonmarkError;
      if (failures >= retries || !isTransient(error)) throw error;
      await pause(waitAfter(error, failures, runtime), request.signal, runtime);
    }
  }
}

function isTransient({ code, status }: NoonmarkError): boolean {
  return status === 503 || code === "network" || code === "timeout";
}

function waitAfter({ retryAfter }: NoonmarkError, failures: number, { random }: Runtime): number {
  if (retryAfter !== null) return Math.min(retryAfter, MAX_WAIT_SECONDS) * 1000;
  return random() * Math.min(BASE_WAIT_MS * 2 ** failures, MAX_JITTER_MS);
}

/** With the API's code if a 4xx or 503 has one. */
function refusal({ url, status, headers, text }: Reply, now: number): NoonmarkError {
  const code = status === 503 || (status >= 400 && status < 500) ? errorCode(text) : "";
  const retryAfter = retryAfterSeconds(headers.get("retry-after"), now);
  return new NoonmarkError(code || "invalid_answer", `${url} answered ${status}`, { status, retryAfter });
}

function errorCode(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    return typeof error === "string" ? error : "";
  } catch {
    return "";
  }
}

/** Seconds from `now` (epoch ms) on; null where it is absent or says neither seconds nor a date. */
function retryAfterSeconds(header: string | null, now: number): number | null {
  const text = header ?? "";
  // Only HTTP dates: engines read a year out of almost any other text.
  const date = /^[A-Z][a-z]+, .+ GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.max(0, Math.ceil((date - now) / 1000));
  return Number.isFinite(seconds) ? seconds : null;
}

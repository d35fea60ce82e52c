/** A request until it is answered with 200 or 304, or until nothing is left to try. */
import { NoonmarkError } from "../noonmark-error.ts";
import { pause } from "./abort.ts";
import { attempt, type Reply, type Request } from "./attempt.ts";
import { retryAfterSeconds } from "./retry-after.ts";
import type { Runtime } from "./runtime.ts";

/** However long a server would have its readers wait. */
const MAX_WAIT_SECONDS = 30;
/** Full jitter: anything from nothing to the base doubled with each failure. */
const BASE_WAIT_MS = 500;
const MAX_JITTER_MS = 8_000;

export async function exchange(request: Request, retries: number, runtime: Runtime): Promise<Reply> {
  for (let failures = 0; ; failures++) {
    const outcome = await attempt(request, runtime).then(
      (reply) => (reply.status === 200 || reply.status === 304 ? reply : refusal(reply, runtime.now())),
      (error: NoonmarkError) => error,
    );
    if (!(outcome instanceof NoonmarkError)) return outcome;
    if (!(failures < retries && isTransient(outcome))) throw outcome;
    await pause(waitAfter(outcome, failures, runtime), request.signal, runtime);
  }
}

function isTransient({ code, status }: NoonmarkError): boolean {
  return status === 503 || code === "network" || code === "timeout";
}

function waitAfter({ retryAfter }: NoonmarkError, failures: number, { random }: Runtime): number {
  if (retryAfter !== null) return Math.min(retryAfter, MAX_WAIT_SECONDS) * 1000;
  return random() * Math.min(BASE_WAIT_MS * 2 ** failures, MAX_JITTER_MS);
}

/** The API's error word where a 4xx or 503 has one. */
function refusal({ url, status, headers, text }: Reply, now: number): NoonmarkError {
  const word = status === 503 || (status >= 400 && status < 500) ? errorWord(text) : undefined;
  const retryAfter = retryAfterSeconds(headers.get("retry-after"), now);
  return new NoonmarkError(word ?? "invalid_answer", `${url} answered ${status}`, { status, retryAfter });
}

function errorWord(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    return typeof error === "string" && error !== "" ? error : undefined;
  } catch {
    return undefined;
  }
}

/** Asks the API below the page's own address, which may be a subpath. */
import type { Answered } from "./view.ts";

const TIMEOUT_MS = 10_000;

export class ApiError extends Error {
  readonly code: string;
  readonly retryAfter: number | undefined;

  constructor(code: string, retryAfter?: number) {
    super(code);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** Revalidates what the browser holds; 304s are the browser's business. Throws `ApiError`. */
export async function ask<Body>(path: string, signal: AbortSignal): Promise<Answered<Body>> {
  const answer = await fetch(new URL(path, document.baseURI), {
    cache: "no-cache",
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  }).catch((cause: unknown) => {
    throw new ApiError(cause instanceof DOMException && cause.name === "TimeoutError" ? "timeout" : "network");
  });
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok && body !== undefined) return { body: body as Body, headers: answer.headers };
  const error = (body as { error?: unknown } | undefined)?.error;
  throw new ApiError(
    typeof error === "string" ? error : "invalid_answer",
    Number(answer.headers.get("retry-after")) || undefined,
  );
}

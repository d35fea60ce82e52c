import type { Answer, CallOptions } from "./answer.ts";
import { pause, throwIfAborted } from "./exchange/abort.ts";
import type { Runtime } from "./exchange/runtime.ts";

export interface WatchOptions extends CallOptions {
  /** Milliseconds from one answer to the next request, 100 at least; 5,000 unless said otherwise. */
  readonly every?: number | undefined;
}

const DEFAULT_EVERY_MS = 5_000;
const MIN_EVERY_MS = 100;

/** First the answer, then each that differs from the one before in body or tag. */
export async function* watch<Body>(
  ask: () => Promise<Answer<Body>>,
  { every = DEFAULT_EVERY_MS, signal }: WatchOptions,
  runtime: Runtime,
): AsyncGenerator<Answer<Body>, void, undefined> {
  // Written so that what is no number is the least, too.
  const interval = every > MIN_EVERY_MS ? every : MIN_EVERY_MS;
  let last: Answer<Body> | undefined;
  for (;;) {
    const answer = await ask();
    throwIfAborted(signal);
    if (last === undefined || differs(last, answer)) {
      last = answer;
      yield answer;
    }
    await pause(interval, signal, runtime);
  }
}

/** Tags alone do not tell: a telemetry's names its receipt, not its age. */
function differs(last: Answer<unknown>, { body, etag }: Answer<unknown>): boolean {
  return last.etag !== etag || (last.body !== body && JSON.stringify(last.body) !== JSON.stringify(body));
}

/** Passes an input to an intake, and decides when to commit its lines. */
import type { Counts, Intake } from "../../src/ledger/intake/intake.ts";

/** An input's lines are committed if nothing follows them for this long (ms). */
const QUIET_MS = 5;

/**
 * Passes chunks to an intake until they end or a strict run stops. While chunks arrive without a pause, the intake
 * decides the size of batches. Lines of a live input are committed as they arrive. Calls `seen` with the bytes.
 */
export async function feed(
  chunks: AsyncIterable<Uint8Array>,
  intake: Intake,
  seen: (bytes: number) => void = () => undefined,
): Promise<Counts> {
  const iterator = chunks[Symbol.asyncIterator]();
  let bytes = 0;
  try {
    while (!intake.stopped) {
      const next = iterator.next();
      if (await isQuiet(next)) intake.flush();
      const { done, value } = await next;
      if (done === true) return intake.end();
      intake.write(value);
      bytes += value.byteLength;
      seen(bytes);
    }
    return intake.counts;
  } finally {
    intake.abort();
    await iterator.return?.();
  }
}

/** True if `next` does not resolve within QUIET_MS. Rejects if `next` does. */
export async function isQuiet(next: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const quiet = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, QUIET_MS, true);
  });
  try {
    return await Promise.race([next.then(() => false), quiet]);
  } finally {
    clearTimeout(timer);
  }
}

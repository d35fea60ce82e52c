/** Passes an input to an intake, and decides when its lines are committed. */
import type { DecodedPiece } from "../../src/ledger/intake/decode/decode-lines.ts";
import type { Counts, Intake } from "../../src/ledger/intake/intake.ts";

/** After this silence of an input (ms), its lines are committed at once. */
const QUIET_MS = 5;

/**
 * Passes chunks to an intake until their end, or until a strict run stops. While chunks come without a pause, batches are as
 * large as the intake makes them. The lines of a live input are committed as they come. `seen` is called with the bytes.
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

/** The same for an input that another thread decodes. It has an end, so that only full batches are committed. */
export async function feedDecoded(
  pieces: AsyncIterable<DecodedPiece>,
  intake: Intake,
  seen: (bytes: number) => void = () => undefined,
): Promise<Counts> {
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      intake.take(piece);
      if (intake.stopped) return intake.counts;
      bytes += piece.bytes;
      seen(bytes);
    }
    return intake.end();
  } finally {
    intake.abort();
  }
}

/** Rejects as `next` does. */
async function isQuiet(next: Promise<unknown>): Promise<boolean> {
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

/** Never more requests a second than asked for: each begins at least 1/qps after the one before has begun. */
import { ClosedConnection, type Transport } from "../../judge/exchange.ts";

export interface PaceClock {
  /** Milliseconds of a clock that always runs. */
  monotonic(): number;
  pause(milliseconds: number): Promise<void>;
}

/** As many kept connections may have been closed as there are. */
const MOST_TRIES = 20;

export function paced(send: Transport, qps: number, clock: PaceClock): Transport {
  const apart = 1000 / qps;
  let last = Number.NEGATIVE_INFINITY;
  let turn = Promise.resolve();
  // One waits at a time: were each given its instant in advance, late timers would let several go at once.
  const wait = async () => {
    for (let left = last + apart - clock.monotonic(); left > 0; left = last + apart - clock.monotonic()) {
      // A timer may fire early by a fraction of a millisecond.
      await clock.pause(Math.ceil(left));
    }
    last = clock.monotonic();
  };
  return async (sent) => {
    for (let tries = 1; ; tries++) {
      turn = turn.then(wait);
      await turn;
      try {
        return await send(sent);
      } catch (error) {
        if (!(error instanceof ClosedConnection) || tries === MOST_TRIES) throw error;
      }
    }
  };
}

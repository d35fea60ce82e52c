/** Never more requests a second than asked for: each begins at least 1/qps after the one before. */
import type { Transport } from "./exchange.ts";

export interface PaceClock {
  /** Milliseconds of a clock that always runs. */
  monotonic(): number;
  pause(milliseconds: number): Promise<void>;
}

export function paced(send: Transport, qps: number, clock: PaceClock): Transport {
  const apart = 1000 / qps;
  let next = Number.NEGATIVE_INFINITY;
  return async (sent) => {
    const begin = Math.max(clock.monotonic(), next);
    next = begin + apart;
    // A timer may fire early by a fraction of a millisecond.
    for (let left = begin - clock.monotonic(); left > 0; left = begin - clock.monotonic()) {
      await clock.pause(Math.ceil(left));
    }
    // A late timer moves what follows: the distance is kept between real beginnings.
    next = Math.max(next, clock.monotonic() + apart);
    return send(sent);
  };
}

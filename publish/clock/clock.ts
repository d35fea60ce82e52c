/** The scheduler's two clocks, handed down so that nothing below reads one by itself. */
export interface Clock {
  /** Epoch ms, for what is published. */
  wall(): number;
  /** Milliseconds that never jump, for how long something may still be done. */
  monotonic(): number;
}

export const systemClock: Clock = { wall: () => Date.now(), monotonic: () => performance.now() };

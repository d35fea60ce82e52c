/** The scheduler's two clocks, handed down so that nothing below reads one by itself. */
export interface Clock {
  /** Epoch ms, for what is published. */
  wall(): number;
  /** Milliseconds that never jump, for how long something may still be done. */
  monotonic(): number;
  /** This host's own wall clock (epoch ms), if `wall` may differ from it because that clock has moved (`SteadyClock`). */
  hostWall?(): number;
}

export const systemClock: Clock = { wall: () => Date.now(), monotonic: () => performance.now() };

/** Wall and monotonic clock of a machine that runs stay this close together (ms). */
export const MOVE_ALLOWANCE_MS = 1_000;

export function hostWall(clock: Clock): number {
  return clock.hostWall?.() ?? clock.wall();
}

/** How far the host's clock is ahead of the one that is published with (ms; negative: behind); 0 while it is trusted. */
export function movedBy(clock: Clock): number {
  const ms = hostWall(clock) - clock.wall();
  return Math.abs(ms) > MOVE_ALLOWANCE_MS ? Math.round(ms) : 0;
}

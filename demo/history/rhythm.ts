/** The wheel's rhythm: none in the hours before dawn, most around the middle of its day, with rests of whole rounds. */
import { ROUND_MS } from "../../src/values/round.ts";
import { fraction } from "./random.ts";
import { DAY, WAKING } from "./story.ts";

/** Millimetres that one revolution covers. */
export const CIRCUMFERENCE_MM = 850;
const FASTEST_RPM_MILLI = 60_000;
const RESTS = 0.2;

/** Thousandths of a revolution a minute at an instant; `dawn` is any dawn (epoch ms). */
export function rpmMilliAt(seed: number, dawn: number, at: number): number {
  const day = Math.floor((at - dawn) / DAY);
  const sinceDawn = at - dawn - day * DAY;
  if (sinceDawn >= WAKING) return 0;
  const round = Math.floor(at / ROUND_MS);
  const mood = fraction(seed, 1, round);
  if (mood < RESTS) return 0;
  const arc = Math.sin((Math.PI * sinceDawn) / WAKING);
  const ofDay = 0.55 + 0.45 * fraction(seed, 2, day);
  const tremble = 0.9 + 0.2 * fraction(seed, 3, at);
  return Math.round(FASTEST_RPM_MILLI * arc * ofDay * (0.5 + 0.5 * mood) * tremble);
}

/** Millimetres a second. */
export function speedOf(rpmMilli: number): number {
  return Math.round((rpmMilli * CIRCUMFERENCE_MM) / 60_000);
}

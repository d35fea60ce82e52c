/** Shows work and distance per day, and the typical day. */
import type { Statistics } from "../../../src/client/create-client.ts";
import type { StatisticsDay } from "../data/bodies.ts";
import { type Bar, Bars } from "../parts/bars.tsx";
import { slotClock } from "../words/half-hour.ts";
import { distance, grouped, milli, percent, plural } from "../words/number.ts";
import { day as dayWords, noonOf, shortDay } from "../words/time.ts";

const NOON = 720;
/** Half hours between the clock times below the typical day. */
const TICK_SLOTS = 12;

export function DailyWork({ days }: { readonly days: readonly StatisticsDay[] }) {
  const every = days.length > 7 ? 5 : 1;
  const bars = days.map(({ date, coverage, observedWorkUnits, distanceMm }): Bar => {
    const observed = coverage.observedRoundCount > 0;
    return {
      key: date,
      name: dayWords(noonOf(date)),
      value: observed ? BigInt(observedWorkUnits) : null,
      mark: coverage.observedRoundCount < coverage.expectedRoundCount ? "partial" : undefined,
      tick: shortDay(noonOf(date)),
      cells: [
        observed ? plural(observedWorkUnits, "unit") : "work not known",
        distanceMm === null ? "distance not known" : distance(distanceMm),
        `${percent(coverage.coverageBps)} covered`,
      ],
    };
  });
  return (
    <section>
      <h3>Work of each day, noon to noon</h3>
      <Bars
        label="Units of work of each day"
        columns={["Day from noon", "Work", "Distance", "Coverage"]}
        bars={bars}
        format={grouped}
        every={every}
      />
    </section>
  );
}

export function TypicalDay({ activity }: { readonly activity: Statistics["activity"] }) {
  const { typicalDay, summary } = activity;
  const peak = summary.peakWindowStartMinuteUtc;
  const slots = [...typicalDay].sort((a, b) => fromNoon(a.startMinuteUtc) - fromNoon(b.startMinuteUtc));
  const bars = slots.map(({ startMinuteUtc, meanWorkMilli, observedDayCount, totalWorkUnits }): Bar => {
    return {
      key: String(startMinuteUtc),
      name: `${slotClock(startMinuteUtc)} UTC`,
      value: meanWorkMilli === null ? null : BigInt(meanWorkMilli),
      mark: startMinuteUtc === peak ? "peak" : undefined,
      tick: slotClock(startMinuteUtc).slice(0, 5),
      cells: [
        meanWorkMilli === null ? "not known" : `${milli(meanWorkMilli)} units on average`,
        `${grouped(totalWorkUnits)} in all`,
        plural(observedDayCount, "day"),
      ],
    };
  });
  return (
    <section>
      <h3>Typical day, from noon</h3>
      <Bars
        label="Mean units of work of each half hour"
        columns={["Half hour", "Mean", "Total", "Days"]}
        bars={bars}
        format={milli}
        every={TICK_SLOTS}
      />
      <p class="note">
        {peak === null ? "No half hour stands out: there is no peak." : `Its peak is ${slotClock(peak)} UTC.`}
      </p>
    </section>
  );
}

function fromNoon(minute: number): number {
  return (minute - NOON + 1440) % 1440;
}

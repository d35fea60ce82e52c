/** Shows sums of the range and of the whole history, and the seven records. Sums without observations are unknown. */
import type { Statistics } from "../../../src/client/create-client.ts";
import { Facts } from "../parts/facts.tsx";
import { Exact, Figure, Unknown } from "../parts/figure.tsx";
import { distance, grouped, milli, percent, plural, speed } from "../words/number.ts";
import { date, day, full, ms, noonOf, span } from "../words/time.ts";

export function RangeFigures({ activity }: { readonly activity: Statistics["activity"] }) {
  const { coverage, summary } = activity;
  const observed = coverage.observedRoundCount > 0;
  const best = summary.mostActiveDate;
  return (
    <dl class="figures">
      <Figure name="Work">{observed ? `${grouped(summary.observedWorkUnits)} units` : <Unknown />}</Figure>
      <Figure name="Distance">
        <Distance mm={summary.observedDistanceMm} days={activity.days} />
      </Figure>
      <Figure
        name="Coverage"
        note={`${grouped(coverage.observedRoundCount)} of ${plural(coverage.expectedRoundCount, "round")}`}
      >
        {percent(coverage.coverageBps)}
      </Figure>
      <Figure name="Active days" note={`${plural(summary.inactiveDayCount, "day")} fully covered without work`}>
        {grouped(summary.activeDayCount)}
      </Figure>
      <Figure name="An active day" note={<MedianWork value={summary.medianWorkPerActiveDay} />}>
        {summary.averageWorkPerActiveDayMilli === null ? (
          <Unknown />
        ) : (
          `${milli(summary.averageWorkPerActiveDayMilli)} units`
        )}
      </Figure>
      <Figure name="Most active day" note={best === null ? undefined : `from noon on ${day(noonOf(best))}`}>
        {summary.mostActiveDateWorkUnits === null ? <Unknown /> : `${grouped(summary.mostActiveDateWorkUnits)} units`}
      </Figure>
    </dl>
  );
}

export function Rounds({ rounds }: { readonly rounds: Statistics["rounds"] }) {
  const work = (value: string | null) => (value === null ? <Unknown /> : `${grouped(value)} units`);
  return (
    <dl class="figures">
      <Figure
        name="Rounds with work"
        note={`${grouped(rounds.zeroWorkCount)} without, ${grouped(rounds.missingCount)} missing`}
      >
        {rounds.observedCount === 0 ? <Unknown /> : `${grouped(rounds.activeCount)} (${percent(rounds.activeRateBps)})`}
      </Figure>
      <Figure name="Median round with work">{work(rounds.medianActiveWork)}</Figure>
      <Figure name="9 of 10 stay below">{work(rounds.p90ActiveWork)}</Figure>
      <Figure name="Most in a round">{work(rounds.mostActiveWork)}</Figure>
    </dl>
  );
}

export function Lifetime({ lifetime, activity }: Pick<Statistics, "lifetime" | "activity">) {
  const since = ms(lifetime.firstObservedAt);
  return (
    <dl class="figures">
      <Figure name="Accepted work">{grouped(lifetime.acceptedWorkUnits)} units</Figure>
      <Figure name="Settled work" note={plural(lifetime.settlementCount, "settlement")}>
        {grouped(lifetime.settledWorkUnits)} units
      </Figure>
      <Figure name="Settled blocks">{grouped(lifetime.settledBlockCount)}</Figure>
      <Figure name="Distance">
        <Distance mm={lifetime.observedDistanceMm} days={activity.days} />
      </Figure>
      <Figure name="Active days" note={`${percent(lifetime.coverageBps)} of all rounds covered`}>
        {grouped(lifetime.activeDayCount)}
      </Figure>
      <Figure name="First observed">
        <span title={full(since)}>{date(since)}</span>
      </Figure>
    </dl>
  );
}

/** A sum of 0 is unknown unless a day of the range has a known distance. */
function Distance({ mm, days }: { readonly mm: string; readonly days: Statistics["activity"]["days"] }) {
  if (mm === "0" && days.every(({ distanceMm }) => distanceMm === null)) return <Unknown />;
  return <Exact short={distance(mm)} exact={`${grouped(mm)} mm`} />;
}

function MedianWork({ value }: { readonly value: string | null }) {
  return <>{value === null ? "median not known" : `on average; the median is ${grouped(value)}`}</>;
}

type Name = keyof Statistics["records"];

const MINUTE_MS = 60_000;
const ROWS: readonly (readonly [Name, string, (value: string) => readonly [short: string, exact: string]])[] = [
  ["mostWorkHalfHour", "Most work in half an hour", units],
  ["mostWorkUtcDay", "Most work in a day", units],
  ["maximumDailyDistanceMm", "Longest way in a day", (mm) => [distance(mm), `${grouped(mm)} mm`]],
  ["peakObservedRpmMilli", "Fastest turning", (value) => [`${milli(value)} rpm`, `${grouped(value)} milli-rpm`]],
  ["peakObservedSpeedMmPerSecond", "Highest speed", (value) => [speed(value), `${grouped(value)} mm/s`]],
  [
    "longestActiveWindowMinutes",
    "Longest without a rest",
    (value) => [span(Number(value) * MINUTE_MS), `${grouped(value)} min`],
  ],
  ["longestActiveDayStreak", "Most active days in a row", (value) => [plural(value, "day"), plural(value, "day")]],
];

export function Records({ records }: { readonly records: Statistics["records"] }) {
  return (
    <Facts
      caption="Records of the whole history"
      columns={["Record", "Value", "When"]}
      rows={ROWS.map(([name, text, words]) => {
        const record = records[name];
        if (record === null) return { key: name, cells: [text, <Unknown />, ""] };
        const [short, exact] = words(record.value);
        const when = (
          <>
            <time dateTime={record.occurredAt} title={full(ms(record.occurredAt))}>
              {day(ms(record.occurredAt))}
            </time>
            {record.coverage === "partial" && <small> partly covered</small>}
          </>
        );
        return { key: name, cells: [text, <Exact short={short} exact={exact} />, when] };
      })}
    />
  );
}

function units(value: string): readonly [string, string] {
  return [`${grouped(value)} units`, `${grouped(value)} units`];
}

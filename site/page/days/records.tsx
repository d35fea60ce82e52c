/** The seven records of the whole history. */
import type { Statistics } from "../../../src/client/create-client.ts";
import { Exact, Unknown } from "../parts/figure.tsx";
import { distance, grouped, milli, plural, speed } from "../words/number.ts";
import { day, full, ms, span } from "../words/time.ts";

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
    <table class="plain-table">
      <caption class="sr">Records of the whole history</caption>
      <thead>
        <tr>
          <th scope="col">Record</th>
          <th scope="col">Value</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {ROWS.map(([name, text, words]) => {
          const record = records[name];
          const [short, exact] = record === null ? ["", ""] : words(record.value);
          return (
            <tr key={name}>
              <th scope="row">{text}</th>
              <td>{record === null ? <Unknown /> : <Exact short={short} exact={exact} />}</td>
              <td>
                {record !== null && (
                  <>
                    <time dateTime={record.occurredAt} title={full(ms(record.occurredAt))}>
                      {day(ms(record.occurredAt))}
                    </time>
                    {record.coverage === "partial" && <small> partly covered</small>}
                  </>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function units(value: string): readonly [string, string] {
  return [`${grouped(value)} units`, `${grouped(value)} units`];
}

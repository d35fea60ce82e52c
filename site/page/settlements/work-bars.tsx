/** Work settled in each slice of the range. Slices that lie ahead are said to. */
import type { Settlements } from "../../../src/client/create-client.ts";
import type { Available } from "../data/bodies.ts";
import { type Bar, Bars } from "../parts/bars.tsx";
import { plural } from "../words/number.ts";
import { clock, day, ms, shortDay } from "../words/time.ts";

const DAY_SECONDS = 86_400;
/** Every fourth hour, each noon, every fifth day: labels have equal distances. */
const SLICES_PER_TICK = { now: 1, "24h": 4, "7d": 4, "30d": 5 } as const;

export function WorkBars({ history }: { readonly history: Available<Settlements> }) {
  const generatedAt = ms(history.generatedAt);
  const daily = history.window?.bucketSeconds === DAY_SECONDS;
  const every = SLICES_PER_TICK[history.range];
  const bars = history.buckets.map((bucket, index): Bar => {
    const start = ms(bucket.startAt);
    const ahead = start > generatedAt;
    const runs = !ahead && ms(bucket.endAt) > generatedAt;
    return {
      key: bucket.startAt,
      name: daily ? `Day from noon, ${day(start)}` : `${day(start)}, ${clock(start)}–${clock(ms(bucket.endAt))} UTC`,
      value: ahead ? 0n : BigInt(bucket.workAdded),
      mark: ahead ? "ahead" : runs ? "partial" : undefined,
      tick: index % every === 0 && !ahead ? (history.range === "24h" ? clock(start) : shortDay(start)) : undefined,
      cells: ahead
        ? ["not yet", "not yet", "not yet"]
        : [
            `${plural(bucket.workAdded, "unit")}${runs ? " so far" : ""}`,
            plural(bucket.settlementCount, "settlement"),
            plural(bucket.completedBlockCount, "block"),
          ],
    };
  });
  return (
    <Bars
      label="Work settled in each slice"
      columns={["Slice", "Work", "Settlements", "Blocks"]}
      bars={bars}
      top={(most) => plural(most, "unit")}
    />
  );
}

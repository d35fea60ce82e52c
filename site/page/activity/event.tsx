/** Shows an activity event as a sentence. */
import type { ComponentChildren } from "preact";
import type { ActivityEvent } from "../data/bodies.ts";
import { OnChain } from "../parts/explorer.tsx";
import { Exact } from "../parts/figure.tsx";
import { amount, distance, exactAmount, grouped, milli, plural, speed } from "../words/number.ts";
import { clock, day, full, ms, noonOf, shortDay } from "../words/time.ts";

/** The token has 18 decimals (docs/spec/api.md#settlements). Activity does not say so itself. */
const PLACES = 18;

export function EventItem({ event }: { readonly event: ActivityEvent }) {
  const at = ms(event.occurredAt);
  return (
    <li class={`event ${event.source.kind}`}>
      <time dateTime={event.occurredAt} title={full(at)}>
        {shortDay(at)}, {clock(at)}
      </time>
      <p>
        {sentenceOf(event)}
        {event.source.kind === "chain" && (
          <small>
            {" "}
            <OnChain kind="tx" of={event.source.transactionHash} />
          </small>
        )}
      </p>
    </li>
  );
}

function sentenceOf(event: ActivityEvent): ComponentChildren {
  switch (event.type) {
    case "system.settlement_completed": {
      const { workAdded, settledThroughRound, completedBlockCount } = event.payload;
      return `${plural(workAdded, "unit")} of work settled through round ${settledThroughRound}, ${plural(completedBlockCount, "block")} completed`;
    }
    case "system.round_released":
      return (
        <>
          Round {event.payload.round} released with {tokens(event.payload.amountBaseUnits)}
        </>
      );
    case "player.unit_minted":
      return (
        <>
          {address(event.payload.player)} minted unit {event.payload.unitId} of type {event.payload.unitType}
        </>
      );
    case "player.units_merged":
      return (
        <>
          {address(event.payload.player)} merged units {event.payload.consumedUnitIds.join(", ")} into unit{" "}
          {event.payload.resultUnitId} of type {event.payload.resultUnitType}
        </>
      );
    case "player.rewards_claimed":
      return (
        <>
          {address(event.payload.player)} claimed {tokens(event.payload.amountBaseUnits)} through round{" "}
          {event.payload.throughRound}
        </>
      );
    default:
      return milestone(event);
  }
}

type Milestone = Extract<ActivityEvent, { type: `measurement.${string}` }>;

function milestone(event: Milestone): ComponentChildren {
  switch (event.type) {
    case "measurement.lifetime_distance_milestone":
      return (
        <>
          <b>{distance(event.payload.milestoneMm)}</b> turned in all
        </>
      );
    case "measurement.daily_distance_milestone":
      return (
        <>
          <b>{distance(event.payload.milestoneMm)}</b> in the day from noon on {day(noonOf(event.payload.date))}
        </>
      );
    case "measurement.speed_milestone":
      return (
        <>
          <b>{speed(event.payload.milestoneMmPerSecond)}</b> reached for the first time
        </>
      );
    case "measurement.speed_record":
      return (
        <>
          Speed record: <b>{speed(event.payload.speedMmPerSecond)}</b>, before it{" "}
          {speed(event.payload.previousSpeedMmPerSecond)}
        </>
      );
    case "measurement.distance_streak":
      return (
        <>
          <b>{grouped(event.payload.days)} days</b> in a row with a kilometre or more
        </>
      );
    case "measurement.rpm_record":
      return (
        <>
          Turning record: <b>{milli(event.payload.rpmMilli)} rpm</b>
        </>
      );
  }
}

function tokens(baseUnits: string) {
  return <Exact short={`${amount(baseUnits, PLACES)} tokens`} exact={`${exactAmount(baseUnits, PLACES)} tokens`} />;
}

function address(of: string) {
  return <OnChain kind="address" of={of} />;
}

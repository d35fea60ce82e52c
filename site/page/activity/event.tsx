/** Shows an activity event, or several of one kind in a row, as a sentence. */
import type { ComponentChildren } from "preact";
import type { ActivityEvent } from "../data/bodies.ts";
import { Exact } from "../parts/figure.tsx";
import { OnChain } from "../parts/on-chain.tsx";
import { Fold } from "../parts/panel.tsx";
import { amount, distance, exactAmount, grouped, milli, plural, speed } from "../words/number.ts";
import { clock, day, full, ms, noonOf, shortDay } from "../words/time.ts";

/** The reward token, which the settlements name. Activity does not. */
export interface Token {
  readonly symbol: string;
  readonly decimals: number;
}

/** Shows neighbouring events that say the same as one line, which opens the single events. */
export function EventItems({ events, token }: { readonly events: readonly ActivityEvent[]; readonly token: Token }) {
  return (
    <>
      {groupsOf(events).map((group) => {
        const [newest, older] = group;
        const key = (group.at(-1) ?? newest).id;
        if (older === undefined) return <EventItem key={key} event={newest} token={token} />;
        return (
          <li key={key} class={`event ${newest.source.kind}`}>
            <EventTime event={newest} />
            <Fold heading={groupWords(group, token)}>
              {() => (
                <ol>
                  {group.map((event) => (
                    <EventItem key={event.id} event={event} token={token} />
                  ))}
                </ol>
              )}
            </Fold>
          </li>
        );
      })}
    </>
  );
}

type Group = readonly [ActivityEvent, ...ActivityEvent[]];

/** Groups neighbours that differ only by their round. */
function groupsOf(events: readonly ActivityEvent[]): readonly Group[] {
  const groups: [ActivityEvent, ...ActivityEvent[]][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    const kind = repeatedKind(event);
    if (last !== undefined && kind !== undefined && repeatedKind(last[0]) === kind) last.push(event);
    else groups.push([event]);
  }
  return groups;
}

function repeatedKind(event: ActivityEvent): string | undefined {
  if (event.type === "system.round_released") return `released ${event.payload.amountBaseUnits}`;
  return event.type === "system.settlement_completed" && event.payload.workAdded === "0" ? "no work" : undefined;
}

function groupWords(group: Group, token: Token): string {
  const [newest] = group;
  const oldest = group.at(-1) ?? newest;
  if (newest.type === "system.round_released" && oldest.type === newest.type) {
    const each = `${amount(newest.payload.amountBaseUnits, token.decimals)} ${token.symbol} each`;
    return `${group.length} rounds from ${oldest.payload.round} to ${newest.payload.round} released with ${each}`;
  }
  const through = newest.type === "system.settlement_completed" ? newest.payload.settledThroughRound : "";
  return `${group.length} batches without work settled, through round ${through}`;
}

function EventTime({ event: { occurredAt } }: { readonly event: ActivityEvent }) {
  const at = ms(occurredAt);
  return (
    <time dateTime={occurredAt} title={full(at)}>
      {shortDay(at)}, {clock(at)}
    </time>
  );
}

function EventItem({ event, token }: { readonly event: ActivityEvent; readonly token: Token }) {
  return (
    <li class={`event ${event.source.kind}`}>
      <EventTime event={event} />
      <p>
        {sentenceOf(event, token)}
        {event.source.kind === "chain" && (
          <small>
            {" "}
            <OnChain of={event.source.transactionHash} />
          </small>
        )}
      </p>
    </li>
  );
}

function sentenceOf(event: ActivityEvent, token: Token): ComponentChildren {
  switch (event.type) {
    case "system.settlement_completed": {
      const { workAdded, settledThroughRound, completedBlockCount } = event.payload;
      if (workAdded === "0") return `A batch without work settled, through round ${settledThroughRound}`;
      return `${plural(workAdded, "unit")} of work settled through round ${settledThroughRound}, ${plural(completedBlockCount, "block")} completed`;
    }
    case "system.round_released":
      return (
        <>
          Round {event.payload.round} released with {tokens(event.payload.amountBaseUnits, token)}
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
          {address(event.payload.player)} claimed {tokens(event.payload.amountBaseUnits, token)} through round{" "}
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

function tokens(baseUnits: string, { symbol, decimals }: Token) {
  return (
    <Exact short={`${amount(baseUnits, decimals)} ${symbol}`} exact={`${exactAmount(baseUnits, decimals)} ${symbol}`} />
  );
}

function address(of: string) {
  return <OnChain of={of} />;
}

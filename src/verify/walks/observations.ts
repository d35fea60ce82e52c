/** Walks the observations from the first to the newest, page by page. */
import type { Observations } from "../../client/generated/bodies.ts";
import type { RouteContract } from "../../judge/contract.ts";
import { seen } from "../../judge/errors.ts";
import { jsonOf } from "../../judge/exchange.ts";
import { judgeGood } from "../../judge/good.ts";
import { OBSERVATIONS_LIMIT } from "../../resources/observations/route.ts";
import { ask, targetOf } from "../ask.ts";
import { OBSERVATIONS_WALK } from "../rules.ts";
import type { Run } from "../run.ts";

type Item = Observations["items"][number];

const LIMIT: number = OBSERVATIONS_LIMIT.maximum;

/** Returns the newest observation; undefined if the walk ended before it. */
export async function walkObservations(run: Run, route: RouteContract): Promise<Item | undefined> {
  const seenIds = new Set<string>();
  let cursor: string | null = null;
  let last: Item | undefined;
  for (let pages = 0; pages < run.options.pages; pages++) {
    const page = await pageAfter(run, route, cursor);
    if (page === undefined) return undefined;
    const after = cursor;
    run.check(OBSERVATIONS_WALK.ends, route, after === null || page.items.length > 0, () => ({
      expected: `an item after nextCursor, in GET ${targetOf(run, route, queryAfter(after))}`,
      saw: "none",
    }));
    for (const item of page.items) {
      run.check(OBSERVATIONS_WALK["goes-on"], route, !seenIds.has(item.telemetryId), () => ({
        expected: `receipts that no earlier page had, from GET ${targetOf(run, route, queryAfter(cursor))}`,
        saw: `telemetryId ${item.telemetryId} again`,
      }));
      seenIds.add(run.keep(item.telemetryId));
    }
    if (pages === 0) await useCursors(run, route, page);
    last = page.items.at(-1) ?? last;
    if (page.nextCursor === null) return expectEnd(run, route, last);
    if (page.nextCursor === cursor) return undefined;
    cursor = page.nextCursor;
  }
  run.skip(OBSERVATIONS_WALK.ends, `the history has more than ${run.options.pages} pages`);
  return undefined;
}

function queryAfter(cursor: string | null, limit = LIMIT): string {
  return cursor === null ? `limit=${limit}` : `cursor=${cursor}&limit=${limit}`;
}

/** Undefined, and reported, if the response is not a good page. */
async function pageAfter(
  run: Run,
  route: RouteContract,
  cursor: string | null,
  limit = LIMIT,
): Promise<Observations | undefined> {
  const target = targetOf(run, route, queryAfter(cursor, limit));
  const reply = await ask(run, { route, target });
  run.check(OBSERVATIONS_WALK["goes-on"], route, reply.status === 200, () => ({
    expected: `200 to GET ${target}`,
    saw: seen(reply),
  }));
  if (reply.status !== 200) return undefined;
  return judgeGood(run, { route, target }, reply) ? (jsonOf(reply) as Observations) : undefined;
}

async function expectEnd(run: Run, route: RouteContract, last: Item | undefined): Promise<Item | undefined> {
  if (last === undefined) return undefined;
  const after = await pageAfter(run, route, last.cursor);
  const repeated = after?.items.some(({ telemetryId }) => telemetryId === last.telemetryId) ?? false;
  run.check(OBSERVATIONS_WALK.ends, route, !repeated && (after?.nextCursor ?? null) === null, () => ({
    expected: `only newer receipts, and no nextCursor, from GET ${targetOf(run, route, queryAfter(last.cursor))}`,
    saw: `${after?.items.length} items, nextCursor ${after?.nextCursor}${repeated ? ", the last one again" : ""}`,
  }));
  return after?.items.at(-1) ?? last;
}

async function useCursors(run: Run, route: RouteContract, first: Observations): Promise<void> {
  const again = await pageAfter(run, route, null);
  if (first.items.length === LIMIT && again !== undefined)
    expectSame(run, route, { name: "again", wanted: first, got: again });
  const middle = Math.floor(first.items.length / 2);
  const from = first.items[middle];
  if (from !== undefined && first.items.length > middle + 1) {
    const rest = await pageAfter(run, route, from.cursor, 3);
    const wanted = first.items.slice(middle + 1, middle + 4);
    if (rest !== undefined)
      expectSame(run, route, {
        name: "item",
        wanted: { items: wanted },
        got: { items: rest.items.slice(0, wanted.length) },
      });
  }
}

interface Comparison {
  readonly name: "again" | "item";
  readonly wanted: Pick<Observations, "items">;
  readonly got: Pick<Observations, "items">;
}

function expectSame(run: Run, route: RouteContract, { name, wanted, got }: Comparison): void {
  const [one, other] = [wanted, got].map(({ items }) => items.map((item) => JSON.stringify(item)));
  const at = (one ?? []).findIndex((text, index) => text !== other?.[index]);
  run.check(OBSERVATIONS_WALK[name], route, at === -1, () => ({
    expected: `the same items as on the page before, such as ${one?.[at]}`,
    saw: other?.[at] ?? "none",
  }));
}

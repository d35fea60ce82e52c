/** Checks that routes agree on shared values. Data may change between two reads, so differences are read again. */
import type { RouteContract } from "../../judge/contract.ts";
import { jsonOf } from "../../judge/exchange.ts";
import type { Rule } from "../../judge/report.ts";
import { ask, guarded, targetOf } from "../ask.ts";
import type { Run } from "../run.ts";

/** A route and its query. */
interface Source {
  readonly route: RouteContract["name"];
  readonly query?: string;
}

/** A value that differs between two routes. */
export interface Difference {
  readonly what: string;
  readonly one: unknown;
  readonly other: unknown;
}

export interface Agreement {
  readonly rule: Rule;
  readonly sources: readonly Source[];
  /** Compares bodies in the order of the sources. Returns a text if they are not comparable: the reason. */
  compare(...bodies: never[]): readonly Difference[] | string;
}

/** Waits (ms) that exceed the time a cache keeps a response. The last one exceeds that of statistics. */
const READ_AGAIN_AFTER_MS = [1_500, 6_000, 31_000];

export async function judgeAgreement(run: Run, { rule, sources, compare }: Agreement): Promise<void> {
  const routes = sources.map(({ route }) => run.route(route));
  const [first] = routes;
  // Compares only if all routes are verified.
  if (first === undefined || routes.includes(undefined)) return;
  await guarded(run, first, async () => {
    for (const pause of [...READ_AGAIN_AFTER_MS, undefined]) {
      const bodies = await read(run, sources);
      if (typeof bodies === "string") return run.skip(rule, bodies);
      const differences = (compare as (...all: unknown[]) => ReturnType<Agreement["compare"]>)(...bodies);
      if (typeof differences === "string") return run.skip(rule, differences);
      const [difference] = differences;
      if (difference !== undefined && pause !== undefined) {
        await run.environment.pause(pause);
        continue;
      }
      run.check(rule, first, difference === undefined, () => ({
        expected: `${difference?.what} ${shown(difference?.one)}, as ${sourceName(sources[0])} says, in ${sources.slice(1).map(sourceName).join(" and ")}`,
        saw: shown(difference?.other),
      }));
      return;
    }
  });
}

async function read(run: Run, sources: readonly Source[]): Promise<unknown[] | string> {
  const bodies: unknown[] = [];
  for (const source of sources) {
    const route = run.route(source.route) as RouteContract;
    const target = targetOf(run, route, source.query ?? "");
    const reply = await ask(run, { route, target });
    const body = reply.status === 200 ? jsonOf(reply) : undefined;
    if (body === undefined || route.complaints(body).some(({ crossField }) => !crossField)) {
      return `GET ${target} got ${reply.status}, or not the resource`;
    }
    bodies.push(body);
  }
  return bodies;
}

function sourceName(source: Source | undefined): string {
  return `${source?.route}${source?.query === undefined ? "" : `?${source.query}`}`;
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 140);
}

/** Returns the entries of `names` in which two objects differ. */
export function differences(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Difference[] {
  return names
    .filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]))
    .map((what) => ({ what, one: one[what], other: other[what] }));
}

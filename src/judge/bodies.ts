/** Rules of single bodies that the schemas do not express. */
import type { Modules, Observations, Process, Telemetry } from "../client/generated/bodies.ts";
import { namesOf } from "../values/unknown.ts";
import type { UrlSubject } from "./exchange.ts";
import { type Checks, family } from "./report.ts";

export const BODY = family("body", {
  offline: [
    "telemetry is offline exactly if it has no revision, and then the whole measurement is null",
    "publish telemetry of one receipt, or of none",
    "docs/spec/api.md#telemetry",
  ],
  "own-installation": [
    "every observation belongs to the installation of the request",
    "put the whole path into the cache key",
    "docs/spec/api.md#observations",
  ],
  "observation-order": [
    "no cursor and no receipt is on a page twice",
    "read the history in receipt order",
    "docs/spec/api.md#observations",
  ],
  "next-cursor": [
    "the observations' nextCursor is null or the last item's cursor",
    "take nextCursor from the last item returned",
    "docs/spec/api.md#observations",
  ],
  "module-order": [
    "no module instance is listed twice",
    "publish one snapshot for each instance",
    "docs/spec/api.md#modules",
  ],
  projection: [
    "the projections of builder and queue are the settled frontier and the later work, divided by workPerBlock",
    "compute both projections from one anchor",
    "docs/spec/api.md#process-rules",
  ],
  frontier: [
    "the buffered rounds begin after the settled frontier",
    "compute queue and anchor from one state",
    "docs/spec/api.md#process-rules",
  ],
});

type Body = Record<string, unknown>;

export function judgeBodyRules(run: Checks, subject: UrlSubject, body: Body): void {
  const judge = { telemetry, "installation-telemetry": telemetry, observations, modules, process }[
    subject.route.name as "telemetry"
  ] as ((run: Checks, subject: UrlSubject, body: never) => void) | undefined;
  judge?.(run, subject, body as never);
}

function telemetry(run: Checks, { route, target }: UrlSubject, body: Telemetry): void {
  const names = ["revision", "observedAt", "receivedAt", "softwareVersion", "measurement"] as const;
  const known = names.filter((name) => body[name] !== null);
  run.check(BODY.offline, route, known.length === (body.status === "offline" ? 0 : 5), () => ({
    expected: `${body.status === "offline" ? "a measurement of nulls" : "a measurement without nulls"} while ${body.status}, from GET ${target}`,
    saw: `${known.join(", ") || "nothing"} not null`,
  }));
}

function observations(run: Checks, { route, target }: UrlSubject, body: Observations): void {
  const { items, nextCursor } = body;
  const other = items.find(({ installationId }) => installationId !== body.installationId);
  run.check(BODY["own-installation"], route, other === undefined, () => ({
    expected: `items of ${body.installationId} from GET ${target}`,
    saw: `one of ${other?.installationId}`,
  }));
  for (const name of ["cursor", "telemetryId"] as const) {
    const different = new Set(items.map((item) => item[name])).size;
    run.check(BODY["observation-order"], route, different === items.length, () => ({
      expected: `${items.length} different values of ${name} from GET ${target}`,
      saw: String(different),
    }));
  }
  run.check(BODY["next-cursor"], route, nextCursor === null || nextCursor === items.at(-1)?.cursor, () => ({
    expected: `nextCursor null or ${items.at(-1)?.cursor} from GET ${target}`,
    saw: String(nextCursor),
  }));
}

function modules(run: Checks, { route, target }: UrlSubject, body: Modules): void {
  const ids = body.modules.map(({ instanceId }) => instanceId);
  run.check(BODY["module-order"], route, new Set(ids).size === ids.length, () => ({
    expected: `each instance once from GET ${target}`,
    saw: ids.join(", "),
  }));
}

type Projected = Omit<
  Extract<Process["builder"], { status: "available" }>["projected"],
  "lifecycle" | "firstCompletedBlock" | "lastCompletedBlock"
>;

function process(run: Checks, { route, target }: UrlSubject, { builder, settlementQueue: queue }: Process): void {
  if (builder.status !== "available") return;
  const { anchor, queued } = builder;
  // The schema rejects this and names the rule.
  if (anchor.workPerBlock === "0") return;
  const open = BigInt(queued.closedWorkUnits) + BigInt(queued.openRoundWorkUnits);
  const projections: [string, Projected, bigint][] = [["builder", builder.projected, open]];
  if (queue.status === "available") {
    projections.push(["settlementQueue", queue.projected, BigInt(queue.buffered.workUnits)]);
    const first = queue.buffered.firstRound;
    const next = String(BigInt(anchor.settledThroughRound) + 1n);
    run.check(BODY.frontier, route, first === null || first === next, () => ({
      expected: `buffered.firstRound ${next}, after the anchor, from GET ${target}`,
      saw: String(first),
    }));
  }
  for (const [name, projected, work] of projections) {
    const wanted = projectionOf(anchor, work);
    const wrong = namesOf(wanted).filter((name) => projected[name] !== wanted[name]);
    run.check(BODY.projection, route, wrong.length === 0, () => ({
      expected: `${name}.projected with ${wrong.map((key) => `${key} ${wanted[key]}`).join(", ")} from GET ${target}`,
      saw: wrong.map((key) => `${key} ${projected[key]}`).join(", "),
    }));
  }
}

function projectionOf(anchor: Omit<Projected, "completedBlockCount">, work: bigint): Projected {
  const perBlock = BigInt(anchor.workPerBlock);
  const cumulative = BigInt(anchor.cumulativeWork) + work;
  const height = cumulative / perBlock;
  return {
    cumulativeWork: String(cumulative),
    blockHeight: String(height),
    currentWork: String(cumulative % perBlock),
    workPerBlock: anchor.workPerBlock,
    completedBlockCount: String(height - BigInt(anchor.blockHeight)),
  };
}

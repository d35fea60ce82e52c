/** The rules of a good body: its schema, what schemas do not express, the parameters of its request, and the clock. */
import type { Modules, Observations, Process, Telemetry } from "../client/generated/bodies.ts";
import { SOURCE_HEADER } from "../http/common-headers.ts";
import { routeContract } from "../resources/contracts.ts";
import { matchPath } from "../resources/find.ts";
import type { NamedRoute, RouteName } from "../resources/table.ts";
import {
  FUTURE_ALLOWANCE_MS,
  REPORTER_STALE_AFTER_MS,
  STALE_AFTER_MS,
  STALE_AFTER_SECONDS,
} from "../values/freshness.ts";
import { fieldsOf, namesOf } from "../values/unknown.ts";
import { header, instantOf, jsonOf, type Reply } from "./exchange.ts";
import type { Check } from "./report.ts";
import { judgeGoodHeaders, startOf } from "./response.ts";

type Body = Readonly<Record<string, unknown>>;

/** A request that should get a 200. */
export interface Asked {
  readonly route: NamedRoute;
  readonly target: string;
  /** The installation of paths without an id; undefined if unknown. */
  readonly configuredId: string | undefined;
}

/** Judges a 200. Returns true if its body passes the schema, so that callers can read its fields. */
export function judgeGood(check: Check, asked: Asked, reply: Reply): boolean {
  const { route } = asked;
  judgeGoodHeaders(check, route, reply);
  const body = jsonOf(reply);
  if (!check("answer/body", body !== undefined, "JSON in UTF-8", startOf(reply))) return false;
  const complaint = bodyComplaint(route.name, body);
  check("answer/body", complaint === undefined, complaint?.expected ?? "", complaint?.seen ?? "");
  if (complaint?.isShape === true) return false;
  judgeAskedFor(check, asked, fieldsOf(body));
  refuseWrongClock(check, route.name, reply);
  return true;
}

export interface Complaint {
  readonly expected: string;
  readonly seen: string;
  /** True if the body's fields are not those of its schema, so that nobody can read them. */
  readonly isShape: boolean;
}

/** Returns what is wrong with a body by its contract alone; undefined if nothing is. */
export function bodyComplaint(name: RouteName, body: unknown): Complaint | undefined {
  const issues = routeContract(name).body.schema.safeParse(body).error?.issues ?? [];
  const [first] = issues;
  if (first === undefined) return OWN_RULES[name]?.(body as never);
  const texts = issues.map(({ path, message }) => `${path.join(".") || "the whole"}: ${message}`);
  const value = first.path.reduce<unknown>((one, key) => fieldsOf(one)[String(key)], body);
  const seen = value === undefined ? "nothing" : JSON.stringify(value).slice(0, 120);
  return { expected: texts.join("; "), seen, isShape: issues.some(({ code }) => code !== "custom") };
}

function broken(expected: string, seen: unknown): Complaint {
  return { expected, seen: String(seen), isShape: false };
}

const OWN_RULES: Partial<Record<RouteName, (body: never) => Complaint | undefined>> = {
  telemetry,
  "installation-telemetry": telemetry,
  observations,
  modules,
  process,
};

function telemetry(body: Telemetry): Complaint | undefined {
  const names = ["revision", "observedAt", "receivedAt", "softwareVersion", "measurement"] as const;
  const known = names.filter((name) => body[name] !== null);
  if (known.length === (body.status === "offline" ? 0 : names.length)) return undefined;
  return broken(
    `a whole measurement if it is not offline, and none if it is`,
    `${body.status} with ${known.join(", ")}`,
  );
}

function observations({ installationId, items, nextCursor }: Observations): Complaint | undefined {
  const other = items.find((item) => item.installationId !== installationId);
  if (other !== undefined) return broken(`items of ${installationId}`, other.installationId);
  for (const name of ["cursor", "telemetryId"] as const) {
    const count = new Set(items.map((item) => item[name])).size;
    if (count !== items.length) return broken(`${items.length} different values of ${name}`, count);
  }
  const last = items.at(-1)?.cursor;
  return nextCursor === null || nextCursor === last ? undefined : broken(`nextCursor null or ${last}`, nextCursor);
}

function modules({ modules }: Modules): Complaint | undefined {
  const ids = modules.map(({ instanceId }) => instanceId);
  return new Set(ids).size === ids.length ? undefined : broken("each module instance once", ids.join(", "));
}

type Projected = Omit<
  Extract<Process["builder"], { status: "available" }>["projected"],
  "lifecycle" | "firstCompletedBlock" | "lastCompletedBlock"
>;

/**
 * Both projections are the settled frontier and later work, in blocks of workPerBlock (docs/spec/api.md#process-rules).
 */
function process({ builder, settlementQueue: queue }: Process): Complaint | undefined {
  if (builder.status !== "available") return undefined;
  const { anchor, queued } = builder;
  const open = BigInt(queued.closedWorkUnits) + BigInt(queued.openRoundWorkUnits);
  const wrong = projectionComplaint("builder", builder.projected, projectionOf(anchor, open));
  if (wrong !== undefined || queue.status !== "available") return wrong;
  const first = queue.buffered.firstRound;
  const next = String(BigInt(anchor.settledThroughRound) + 1n);
  if (first !== null && first !== next) return broken(`buffered.firstRound ${next}, after the anchor`, first);
  return projectionComplaint(
    "settlementQueue",
    queue.projected,
    projectionOf(anchor, BigInt(queue.buffered.workUnits)),
  );
}

function projectionComplaint(name: string, projected: Projected, wanted: Projected): Complaint | undefined {
  const wrong = namesOf(wanted).filter((key) => projected[key] !== wanted[key]);
  if (wrong.length === 0) return undefined;
  const written = (from: Projected) => wrong.map((key) => `${key} ${from[key]}`).join(", ");
  return broken(`${name}.projected with ${written(wanted)}`, written(projected));
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

function judgeAskedFor(check: Check, { route, target, configuredId }: Asked, body: Body): void {
  const [path = "", asked = ""] = target.split("?");
  const isRead = route.query === "listed" || route.handler === "activity";
  const query = new URLSearchParams(isRead ? asked : "");
  const wanted: Record<string, unknown> = {
    installationId: matchPath(path)?.installationId ?? configuredId ?? body.installationId,
    range: query.get("range") ?? body.range,
  };
  if (route.handler === "activity" && body.status === "available") wanted.category = query.get("category") ?? "all";
  for (const [name, value] of Object.entries(wanted)) {
    check("answer/asked-for", body[name] === value, `${name} ${String(value)}`, String(body[name]));
  }
  const list = body.events ?? body.items;
  const limit = routeContract(route.name).parameters?.find(({ name }) => name === "limit")?.form;
  if (isRead && Array.isArray(list) && limit !== undefined && limit !== "cursor" && limit.type === "integer") {
    const most = Number(query.get("limit") ?? limit.default);
    check("answer/asked-for", list.length <= most, `at most ${most} entries`, String(list.length));
  }
  const hasProjection = "queueProjection" in body;
  check("answer/asked-for", !hasProjection || query.get("queue") === "1", "no queueProjection", "one");
}

/** Tolerance between the clocks of publisher, server, cache and this machine. */
const TOLERANCE_MS = 5_000;
const DAY_MS = 86_400_000;
/** One range may lag while the other is computed; each is kept for 30 s (docs/spec/api.md#statistics-availability). */
const STATISTICS_SLACK_MS = 90_000;

interface Timed {
  readonly generatedAt?: string;
  readonly status?: string;
  readonly receivedAt?: string | null;
  readonly measurement?: { readonly freshness?: string; readonly receivedAt?: string } | null;
  readonly window?: { readonly startAt: string; readonly endAt: string; readonly dayCount?: number } | null;
  readonly settlementQueue?: Process["settlementQueue"];
  readonly items?: readonly { readonly receivedAt: string }[];
  readonly events?: readonly { readonly recordedAt?: string; readonly blockTimestamp?: string }[];
}

function refuseWrongClock(check: Check, name: RouteName, reply: Reply): void {
  const body = jsonOf(reply) as Timed;
  const now = instantOf(reply);
  const { measurement, items = [], events = [] } = body;
  const instants = [
    body.generatedAt,
    body.receivedAt,
    measurement?.receivedAt,
    ...items.map(({ receivedAt }) => receivedAt),
    ...events.map(({ recordedAt, blockTimestamp }) => recordedAt ?? blockTimestamp),
  ].filter((one) => typeof one === "string");
  const latest = instants.reduce((late, one) => (one > late ? one : late), "");
  const isPast = latest === "" || Date.parse(latest) <= now + TOLERANCE_MS;
  check("clock/ahead", isPast, `no instant after ${iso(now)}`, latest);
  if (name === "telemetry" || name === "installation-telemetry") judgeAge(check, body.status, body.receivedAt, now);
  if (name === "process") {
    judgeAge(check, measurement?.freshness, measurement?.receivedAt, now);
    if (body.settlementQueue !== undefined) judgeReporter(check, body.settlementQueue, now);
  }
  // Saved history may be served at any age.
  if (header(reply, SOURCE_HEADER) !== "durable-cache") judgeWindow(check, body, now);
}

function judgeAge(check: Check, state: string | undefined, receivedAt: string | null | undefined, now: number): void {
  if (typeof receivedAt !== "string") return;
  const age = now - Date.parse(receivedAt);
  // A receipt further in the future has no known age (docs/spec/api.md#future).
  const mayBeOnline = age <= STALE_AFTER_MS + TOLERANCE_MS && -age <= FUTURE_ALLOWANCE_MS + TOLERANCE_MS;
  const mayBeStale = age > STALE_AFTER_MS - TOLERANCE_MS || -age > FUTURE_ALLOWANCE_MS - TOLERANCE_MS;
  const holds = (state !== "online" || mayBeOnline) && (state !== "stale" || mayBeStale);
  const expected = `online for ${STALE_AFTER_SECONDS} s after the receipt, which was ${Math.round(age / 1000)} s before the Date`;
  check("clock/online", holds, expected, String(state));
}

function judgeReporter(check: Check, queue: Process["settlementQueue"], now: number): void {
  if (queue.status !== "available" || queue.state === "blocked" || !queue.settlementEnabled) return;
  const finishedAt = queue.lastRun?.finishedAt;
  const silent = typeof finishedAt === "string" ? now - Date.parse(finishedAt) : Number.POSITIVE_INFINITY;
  const holds = queue.state === "stale" || silent <= REPORTER_STALE_AFTER_MS + TOLERANCE_MS;
  check("clock/window", holds, `state stale, its last run ${finishedAt ?? "not finished"}`, queue.state);
}

function judgeWindow(check: Check, { window }: Timed, now: number): void {
  if (window === undefined || window === null) return;
  const { startAt, endAt, dayCount } = window;
  const ofDays = Date.parse(startAt) + (dayCount ?? 0) * DAY_MS + STATISTICS_SLACK_MS;
  const end = dayCount === undefined ? Date.parse(endAt) + TOLERANCE_MS : ofDays;
  check("clock/window", now < end, `a window that contains ${iso(now)}`, `${startAt} to ${endAt}`);
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Rules of bodies and time: `online` ends on time, nothing is in the future, and windows include the present. */
import type { Process } from "../client/generated/bodies.ts";
import { SOURCE_HEADER } from "../http/common-headers.ts";
import {
  FUTURE_ALLOWANCE_MS,
  REPORTER_STALE_AFTER_MS,
  STALE_AFTER_MS,
  STALE_AFTER_SECONDS,
} from "../values/freshness.ts";
import { header, instantOf, jsonOf, type Reply, type UrlSubject } from "./exchange.ts";
import { type Checks, family } from "./report.ts";

const LATE = "let no cache keep a response past valid-until: min(edge seconds, valid-until − now)";

export const CLOCK = family("clock", {
  online: [
    `nothing is online more than ${STALE_AFTER_SECONDS} s after its receipt`,
    LATE,
    "docs/spec/api.md#telemetry",
  ],
  stale: [
    `nothing is stale within ${STALE_AFTER_SECONDS} s of its receipt`,
    "set the clocks of publisher, shim and front by NTP",
    "docs/spec/api.md#telemetry",
  ],
  ahead: [
    "no instant of an event is in the future",
    "set the clocks of publisher, shim and front by NTP",
    "docs/spec/api.md#future",
  ],
  window: ["the window contains the present", LATE, "docs/spec/api.md#settlements-window"],
  reporter: [
    `the queue is stale once its Reporter has been silent for ${REPORTER_STALE_AFTER_MS / 1000} s`,
    LATE,
    "docs/spec/api.md#queue-state",
  ],
});

/** Tolerance between the clocks of publisher, server, cache and this machine. */
const TOLERANCE_MS = 5_000;
const DAY_MS = 86_400_000;
/** One range may lag while the other is computed; each is kept for 30 s (docs/spec/api.md#statistics-availability). */
const STATISTICS_SLACK_MS = 90_000;

interface Timed {
  readonly generatedAt?: string;
  readonly status?: string;
  readonly observedAt?: string | null;
  readonly receivedAt?: string | null;
  readonly measurement?: { readonly freshness?: string; readonly receivedAt?: string } | null;
  readonly window?: { readonly startAt: string; readonly endAt: string; readonly dayCount?: number } | null;
  readonly settlementQueue?: Process["settlementQueue"];
  readonly items?: readonly { readonly receivedAt: string }[];
  readonly events?: readonly { readonly recordedAt?: string; readonly blockTimestamp?: string }[];
}

export function judgeClock(run: Checks, subject: UrlSubject, reply: Reply): void {
  const body = jsonOf(reply) as Timed;
  const now = instantOf(reply);
  judgeAhead(run, subject, { body, now });
  const { name } = subject.route;
  if (name === "telemetry" || name === "installation-telemetry") {
    judgeAge(run, subject, { state: body.status, receivedAt: body.receivedAt, now });
  }
  if (name === "process") {
    judgeAge(run, subject, { state: body.measurement?.freshness, receivedAt: body.measurement?.receivedAt, now });
    if (body.settlementQueue !== undefined) judgeReporter(run, subject, { queue: body.settlementQueue, now });
  }
  // Saved history may be served at any age.
  if (header(reply, SOURCE_HEADER) !== "durable-cache") judgeWindow(run, subject, { body, now });
}

function judgeAhead(run: Checks, { route, target }: UrlSubject, { body, now }: { body: Timed; now: number }): void {
  const instants = {
    generatedAt: body.generatedAt,
    receivedAt: body.receivedAt,
    "measurement.receivedAt": body.measurement?.receivedAt,
    "items' receivedAt": latest(body.items?.map(({ receivedAt }) => receivedAt)),
    "events' time": latest(body.events?.map(({ recordedAt, blockTimestamp }) => recordedAt ?? blockTimestamp ?? "")),
  };
  for (const [name, text] of Object.entries(instants)) {
    if (typeof text !== "string") continue;
    run.check(CLOCK.ahead, route, Date.parse(text) <= now + TOLERANCE_MS, () => ({
      expected: `${name} at or before ${iso(now)} from GET ${target}`,
      saw: text,
    }));
  }
}

interface Age {
  readonly state: string | undefined;
  readonly receivedAt: string | null | undefined;
  readonly now: number;
}

function judgeAge(run: Checks, { route, target }: UrlSubject, { state, receivedAt, now }: Age): void {
  if (typeof receivedAt !== "string") return;
  const age = now - Date.parse(receivedAt);
  // A receipt further in the future has no known age (docs/spec/api.md#future).
  const mayBeOnline = age <= STALE_AFTER_MS + TOLERANCE_MS && -age <= FUTURE_ALLOWANCE_MS + TOLERANCE_MS;
  run.check(CLOCK.online, route, state !== "online" || mayBeOnline, () => ({
    expected: `stale ${Math.round(age / 1000)} s after the receipt from GET ${target}`,
    saw: String(state),
  }));
  const mayBeStale = age > STALE_AFTER_MS - TOLERANCE_MS || -age > FUTURE_ALLOWANCE_MS - TOLERANCE_MS;
  run.check(CLOCK.stale, route, state !== "stale" || mayBeStale, () => ({
    expected: `online ${Math.round(age / 1000)} s after the receipt from GET ${target}`,
    saw: String(state),
  }));
}

function judgeReporter(
  run: Checks,
  { route, target }: UrlSubject,
  { queue, now }: { queue: Process["settlementQueue"]; now: number },
): void {
  if (queue.status !== "available" || queue.state === "blocked" || !queue.settlementEnabled) return;
  const finishedAt = queue.lastRun?.finishedAt;
  const silent = typeof finishedAt === "string" ? now - Date.parse(finishedAt) : Number.POSITIVE_INFINITY;
  run.check(CLOCK.reporter, route, queue.state === "stale" || silent <= REPORTER_STALE_AFTER_MS + TOLERANCE_MS, () => ({
    expected: `state stale, its last run ${finishedAt ?? "not finished"}, from GET ${target}`,
    saw: queue.state,
  }));
}

function judgeWindow(run: Checks, { route, target }: UrlSubject, { body, now }: { body: Timed; now: number }): void {
  if (body.window === undefined || body.window === null) return;
  const { startAt, endAt, dayCount } = body.window;
  const end =
    dayCount === undefined
      ? Date.parse(endAt) + TOLERANCE_MS
      : Date.parse(startAt) + dayCount * DAY_MS + STATISTICS_SLACK_MS;
  run.check(CLOCK.window, route, now < end, () => ({
    expected: `a window that contains ${iso(now)} from GET ${target}`,
    saw: `${startAt} to ${endAt}`,
  }));
}

function latest(instants: readonly string[] | undefined): string | undefined {
  return instants?.reduce<string | undefined>(
    (late, text) => (late === undefined || text > late ? text : late),
    undefined,
  );
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/**
 * What the lease object tells of the objects (docs/spec/publishing.md#private-status): the configured installation's
 * one by one, the others' as sums. Everybody may read it, and it stays small however many installations there are.
 */
import { isShardKey } from "../../src/http/installations.ts";
import { parseInstallationTelemetryKey } from "../../src/resources/telemetry/keys.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";
import type { Known, KnownObject } from "../known.ts";
import type { Problems } from "../report.ts";

/** Of the installations other than the configured one. */
export interface OtherInstallations {
  readonly count: number;
  /** As many more that the ledger knows: a holder before published them, and nothing of them has moved since. */
  readonly unread: number;
  /** Their telemetry by HTTP status. */
  readonly byStatus: Readonly<Record<string, number>>;
  /** When the oldest and the newest telemetry was computed. */
  readonly oldestAt: string | null;
  readonly newestAt: string | null;
  /** Those whose next change by time alone has come and is not put. */
  readonly overdue: number;
}

/** Of one that is overdue for longest, or else the oldest; for the operator. */
export interface WorstInstallation {
  readonly installationId: string;
  readonly at: string;
  readonly nextChangeAt: string | null;
}

const MOST_NAMED = 10;

/** `now` in epoch ms; `installations`: that the ledger knows, the configured one among them. */
export function publicReport(
  known: Known,
  last: Problems | undefined,
  now: number,
  installations: number,
): Record<string, unknown> & { readonly others: OtherInstallations } {
  const resources: Record<string, unknown> = {};
  const others: KnownObject[] = [];
  for (const object of known.all()) {
    if (isOfAnother(object)) others.push(object);
    else if (!isShardKey(object.key)) resources[object.key] = describe(object);
  }
  const unread = Math.max(0, installations - 1 - others.length);
  return { resources, others: { ...sumOf(others, now), unread }, problems: problemsOf(last) };
}

/** How many problems there are; what they are is the operator's to read. */
export function problemsOf(last: Problems | undefined): number {
  if (last === undefined) return 0;
  return last.failures.length + last.rows.filter(({ action }) => action === "failed").length;
}

/** `now` in epoch ms. */
export function worstInstallations(known: Known, now: number): WorstInstallation[] {
  const worst: KnownObject[] = [];
  for (const object of known.all()) {
    if (!isOfAnother(object)) continue;
    worst.push(object);
    if (worst.length > MOST_NAMED) worst.sort((a, b) => waitsSince(a, now) - waitsSince(b, now)).pop();
  }
  return worst
    .toSorted((a, b) => waitsSince(a, now) - waitsSince(b, now))
    .map((object) => {
      const { at, nextChangeAt } = describe(object);
      return { installationId: parseInstallationTelemetryKey(object.key) ?? "", at, nextChangeAt };
    });
}

/** Who is overdue comes first, the longest before the others; then who was computed longest ago. */
function waitsSince({ states, asof }: KnownObject, now: number): number {
  const next = states[1]?.from;
  return next !== undefined && next <= now ? next - now : asof.at;
}

function sumOf(objects: readonly KnownObject[], now: number): Omit<OtherInstallations, "unread"> {
  let [oldest, newest, overdue] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  const byStatus: Record<string, number> = {};
  for (const { asof, states, status } of objects) {
    oldest = Math.min(oldest, asof.at);
    newest = Math.max(newest, asof.at);
    if ((states[1]?.from ?? now + 1) <= now) overdue++;
    byStatus[status] = (byStatus[status] ?? 0) + 1;
  }
  const instant = (at: number) => (Number.isFinite(at) ? formatTimestamp(at) : null);
  return { count: objects.length, byStatus, oldestAt: instant(oldest), newestAt: instant(newest), overdue };
}

function describe({ asof, status, states, etag }: KnownObject) {
  const next = states[1]?.from;
  const nextChangeAt = next === undefined ? null : formatTimestamp(next);
  return { at: formatTimestamp(asof.at), status, etag, nextChangeAt };
}

function isOfAnother({ key }: KnownObject): boolean {
  return parseInstallationTelemetryKey(key) !== undefined;
}

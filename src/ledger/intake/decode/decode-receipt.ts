/**
 * A fast decoder for receipts in their usual form, because a catch-up may have ten million of them. It returns
 * undefined for anything unusual (upper-case digits, an offset, a fault), which the schema in `record-types.ts` then
 * decodes or rejects.
 */
import { isCanonicalDecimal, isDecimalAtMost, UINT64_MAX } from "../../../values/decimal.ts";
import { FUTURE_ALLOWANCE_MS } from "../../../values/freshness.ts";
import { isNameableInstallationId } from "../../../values/installation-id.ts";
import { parseTimestamp } from "../../../values/timestamp.ts";
import type { RecordOf } from "../record-types.ts";
import { isText } from "./fields.ts";

const FIELDS = 15;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

type Receipt = RecordOf<"receipt">;

/** Creates a decoder that remembers the last valid value of fields that rarely change; `now` in epoch ms. */
export function receiptDecoder(): (json: Readonly<Record<string, unknown>>, now?: number) => Receipt | undefined {
  const isInstallationId = remembering(isNameableInstallationId);
  const isBootId = remembering(isUuid);
  const isCounterEpoch = remembering(isUuid);
  const isSoftwareVersion = remembering(isText);
  return (json, now = Number.POSITIVE_INFINITY) => {
    const { telemetryId, observedAt, receivedAt, cumulativeWorkUnits, sequence } = json;
    const { rpmMilli, speedMmPerSecond, distanceMm, provenance, coreStatus } = json;
    if (
      json.type !== "receipt" ||
      !isInstallationId(json.installationId) ||
      !(typeof telemetryId === "string" && isUuid(telemetryId)) ||
      !isBootId(json.bootId) ||
      !isCounterEpoch(json.counterEpoch) ||
      !isCount(sequence) ||
      !(typeof observedAt === "string" && typeof receivedAt === "string") ||
      !isUint64(cumulativeWorkUnits) ||
      !isProvenance(provenance) ||
      !isSoftwareVersion(json.softwareVersion) ||
      !isCoreStatus(coreStatus) ||
      !isCount(rpmMilli) ||
      !isCount(speedMmPerSecond) ||
      !isCount(distanceMm) ||
      // All fifteen fields are present, so any other key would be a sixteenth.
      Object.keys(json).length !== FIELDS
    ) {
      return undefined;
    }
    const observed = parseTimestamp(observedAt);
    const received = parseTimestamp(receivedAt);
    if (observed === undefined || received === undefined || received > now + FUTURE_ALLOWANCE_MS) return undefined;
    return {
      type: "receipt",
      installationId: json.installationId,
      telemetryId,
      bootId: json.bootId,
      counterEpoch: json.counterEpoch,
      sequence,
      observedAt: observed,
      receivedAt: received,
      cumulativeWorkUnits,
      provenance,
      softwareVersion: json.softwareVersion,
      coreStatus,
      rpmMilli,
      speedMmPerSecond,
      distanceMm,
    };
  };
}

/** Wraps a string check so that it skips the last string that passed. */
function remembering(check: (text: string) => boolean): (value: unknown) => value is string {
  let last: string | undefined;
  return (value): value is string => {
    if (typeof value !== "string") return false;
    if (value === last) return true;
    if (!check(value)) return false;
    last = value;
    return true;
  };
}

function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Excludes −0, which the schema converts to 0. */
function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && (value > 0 || Object.is(value, 0));
}

function isUint64(value: unknown): value is string {
  return (
    typeof value === "string" && isCanonicalDecimal(value) && (value.length < 20 || isDecimalAtMost(value, UINT64_MAX))
  );
}

function isProvenance(value: unknown): value is Receipt["provenance"] {
  return value === "hardware" || value === "simulated" || value === "replay" || value === "derived";
}

function isCoreStatus(value: unknown): value is Receipt["coreStatus"] {
  return value === "ACTIVE" || value === "IDLE" || value === "COUNTER_FAULT";
}

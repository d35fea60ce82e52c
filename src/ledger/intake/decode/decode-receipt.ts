/**
 * Receipts as devices write them, read quickly: ten million of them are a catch-up. Whatever is not plainly right here
 * (upper-case digits, an offset, a fault) is left to the schema in `record-types.ts`, which alone says what is wrong.
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

/** Makes a decoder that remembers the values that one receipt has in common with the next; `now` in epoch ms. */
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
      // All fifteen are there: another key would be a sixteenth.
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

/** A check of strings that knows the last one it found right. */
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

/** Not −0, which the schema makes 0. */
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

/** `/badge.json`: the telemetry's status as of now, in the form that badge services read (docs/spec/people.md#files). */
import { StoreUnavailable } from "../../object-store/object-store.ts";
import { TELEMETRY_KEY, telemetryRoute } from "../../resources/telemetry/route.ts";
import type { ShimContext } from "../context.ts";
import { type FullResponse, rowResponse } from "../full-response.ts";
import type { FileRequest } from "../handler.ts";
import { storedResponse } from "../stored-responses.ts";
import { leaseFacts } from "./lease-facts.ts";

const COLORS: Readonly<Record<string, string>> = { online: "brightgreen", stale: "yellow", offline: "lightgrey" };

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export async function badge({ file }: FileRequest, context: ShimContext): Promise<FullResponse | undefined> {
  if ((await leaseFacts(context)) === undefined) return undefined;
  const telemetry = await storedResponse(telemetryRoute, TELEMETRY_KEY, context.store, context.now());
  if (telemetry === undefined) return undefined;
  const { installationId, status } = telemetryOf(telemetry.body);
  const color = COLORS[status] ?? "lightgrey";
  const body = encoder.encode(JSON.stringify({ schemaVersion: 1, label: installationId, message: status, color }));
  const headers = {
    etag: await tagOf(body),
    ...(file.cacheControl === null ? {} : { "cache-control": file.cacheControl }),
  };
  const { validUntil } = telemetry;
  return { ...rowResponse(file, { status: 200, headers }, body), ...(validUntil === undefined ? {} : { validUntil }) };
}

/** Throws `StoreUnavailable` if the body is not telemetry. */
function telemetryOf(body: Uint8Array): { readonly installationId: string; readonly status: string } {
  try {
    const { installationId, status } = JSON.parse(decoder.decode(body)) as Readonly<Record<string, unknown>>;
    if (typeof installationId === "string" && typeof status === "string") return { installationId, status };
  } catch (cause) {
    throw new StoreUnavailable(`${TELEMETRY_KEY} is no telemetry`, { cause });
  }
  throw new StoreUnavailable(`${TELEMETRY_KEY} is no telemetry`);
}

/** A strong validator of the bytes. */
async function tagOf(body: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  return `"${btoa(String.fromCharCode(...hash))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")}"`;
}

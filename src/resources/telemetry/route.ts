/** docs/spec/api.md#telemetry: of the configured installation, and of any by its id. */
import { FOLLOWS_RECEIPTS, STALE_IF_ERROR } from "../../http/edge.ts";
import { INSTALLATIONS_KEY } from "../../http/keys.ts";
import type { Route } from "../../http/route.ts";
import { installationTelemetryKey, TELEMETRY_KEY, UNKNOWN_TELEMETRY_KEY } from "./keys.ts";

const TELEMETRY = {
  resource: "telemetry",
  anchor: "telemetry",
  query: "ignored",
  queryError: null,
  etag: true,
  conditional: false,
  notModifiedTag: false,
  sourceHeaders: false,
  cacheControl: null,
  absent: "not_published",
  edgeSeconds: FOLLOWS_RECEIPTS,
  staleIfErrorSeconds: STALE_IF_ERROR,
} as const;

export const telemetryRoute = {
  kind: "route",
  name: "telemetry",
  path: "/v1/public/telemetry",
  handler: "stored",
  objects: [{ query: "", key: TELEMETRY_KEY }],
  ...TELEMETRY,
} as const satisfies Route;

export const installationTelemetryRoute = {
  kind: "route",
  name: "installation-telemetry",
  path: "/v1/public/installations/{installationId}/telemetry",
  handler: "installation-telemetry",
  objects: [],
  parts: [
    installationTelemetryKey("{installationId}"),
    UNKNOWN_TELEMETRY_KEY,
    INSTALLATIONS_KEY,
    `${INSTALLATIONS_KEY}/`,
  ],
  ...TELEMETRY,
} as const satisfies Route;

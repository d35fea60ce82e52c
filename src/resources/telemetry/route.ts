/**
 * The routes of telemetry (docs/spec/api.md#telemetry), for the configured installation and by id, and the keys of
 * their objects (docs/spec/publishing.md#objects).
 */
import { INSTALLATIONS_KEY, pathKey } from "../../http/keys.ts";
import { RECEIPTS_EDGE_SECONDS, ROUTE_RULES, type Route, STALE_IF_ERROR } from "../../http/route.ts";
import { isInstallationId } from "../../values/installation-id.ts";

/** The configured installation's key, which both telemetry routes read. */
export const TELEMETRY_KEY = pathKey("/v1/public/telemetry");
/** The template for an unknown installation, with `{installationId}` in place of its id. */
export const UNKNOWN_TELEMETRY_KEY = pathKey("/v1/public/installations/telemetry");

/** Returns the key of an installation that is not the configured one. */
export function installationTelemetryKey(installationId: string): string {
  return pathKey(`/v1/public/installations/~${installationId}/telemetry`);
}

/** Parses a key of `installationTelemetryKey`; returns `undefined` for any other key. */
export function parseInstallationTelemetryKey(key: string): string | undefined {
  const match = /^v1\/public\/installations\/~([^/]+)\/telemetry$/.exec(key);
  return match?.[1] !== undefined && isInstallationId(match[1]) ? match[1] : undefined;
}

const TELEMETRY = {
  ...ROUTE_RULES,
  resource: "telemetry",
  anchor: "telemetry",
  query: "ignored",
  queryError: null,
  etag: true,
  edgeSeconds: RECEIPTS_EDGE_SECONDS,
  staleIfErrorSeconds: STALE_IF_ERROR,
} as const;

export const telemetryRoute = {
  ...TELEMETRY,
  name: "telemetry",
  path: "/v1/public/telemetry",
  objects: [{ query: "", key: TELEMETRY_KEY }],
} as const satisfies Route;

export const installationTelemetryRoute = {
  ...TELEMETRY,
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
} as const satisfies Route;

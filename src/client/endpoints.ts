/**
 * Where each method asks. `conditional` says whether the route evaluates If-None-Match. A copy of what the client needs
 * of the table of routes, so that no other code travels with it; a test holds the two together.
 */
export interface Endpoint {
  readonly path: string;
  readonly conditional: boolean;
}

export const ENDPOINTS = {
  telemetry: { path: "/v1/public/telemetry", conditional: false },
  installationTelemetry: { path: "/v1/public/installations/{id}/telemetry", conditional: false },
  modules: { path: "/v1/public/modules", conditional: false },
  observations: { path: "/v1/public/installations/{id}/observations", conditional: false },
  process: { path: "/v4/public/process", conditional: true },
  statistics: { path: "/v2/public/stats", conditional: true },
  onchain: { path: "/v4/public/onchain", conditional: false },
  settlements: { path: "/v4/public/settlements", conditional: true },
  legacySettlements: { path: "/v3/public/settlements", conditional: true },
  activity: { path: "/v1/public/activity", conditional: false },
  status: { path: "/status.json", conditional: false },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;

/** The version stands in the path and again in the body; a file has version 1. */
export function schemaVersionOf({ path }: Endpoint): number {
  return Number(/^\/v(\d+)\//.exec(path)?.[1] ?? 1);
}

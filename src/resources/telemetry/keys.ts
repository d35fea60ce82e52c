/** The objects of the telemetry (docs/spec/publishing.md#objects). */
import { pathKey } from "../../http/keys.ts";
import { isInstallationId } from "../../values/installation-id.ts";

/** The configured installation's; both of its telemetry routes read it. */
export const TELEMETRY_KEY = pathKey("/v1/public/telemetry");
/** The template for an unknown installation, with `{installationId}` in place of its id. */
export const UNKNOWN_TELEMETRY_KEY = pathKey("/v1/public/installations/telemetry");

/** The key of an installation other than the configured one. */
export function installationTelemetryKey(installationId: string): string {
  return pathKey(`/v1/public/installations/~${installationId}/telemetry`);
}

/** The reverse of `installationTelemetryKey`; `undefined` for any other key. */
export function parseInstallationTelemetryKey(key: string): string | undefined {
  const match = /^v1\/public\/installations\/~([^/]+)\/telemetry$/.exec(key);
  return match?.[1] !== undefined && isInstallationId(match[1]) ? match[1] : undefined;
}

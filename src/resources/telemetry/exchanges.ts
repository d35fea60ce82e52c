/** Telemetry of unknown ids is offline, with 200 (src/judge/exchanges/format.ts has the format). */
const NOBODY = ["{unique}", "A.z_0:9-{unique}", "y".repeat(128), "%7a{unique}", "{unique}%3Aa"];

export const NOBODY_IS_OFFLINE = `& path/unknown-id
${NOBODY.map((id) => `GET /v1/public/installations/${id}/telemetry`).join("\n")}
200
? status = "offline"
? revision = null`;

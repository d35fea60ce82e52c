import { expect, test } from "vitest";
import { objectClass } from "../../src/resources/object-class.ts";

test.each([
  ["v1/public/telemetry", "telemetry", "v1/public/telemetry"],
  ["v1/public/installations/~a.b/telemetry", "telemetry", "v1/public/installations/~{installationId}/telemetry"],
  ["v1/public/installations/telemetry", "telemetry", "v1/public/installations/telemetry"],
  [
    "v1/public/installations/~a.b/observations/3/17",
    "observations",
    "v1/public/installations/~{installationId}/observations/{log}/{tile}",
  ],
  ["v2/public/stats/30d", "statistics", "v2/public/stats/30d"],
  ["v1/public/activity/players", "activity", "v1/public/activity/players"],
  ["v1/public/activity/players/unavailable", "activity", "v1/public/activity/players/unavailable"],
  ["v1/public/activity/players/tiles/1-2-abc", "activity", "v1/public/activity/players/tiles/{tile}"],
  ["site/index.html", "site", "site/index.html"],
  ["site/assets/page-0123abcd.js", "site", "site/assets/{asset}"],
  ["status.json", "lease", "status.json"],
  ["standby.json", "standby", "standby.json"],
  ["private/status.json", "status", "private/status.json"],
  ["installations", "installations", "installations"],
  ["log/2/checkpoint", "log", "log/{log}/checkpoint"],
  ["log/2/tile/0/x001/067.p/3", "log", "log/{log}/tile/{tile}"],
  ["private/log/2/tile/entries/000", "log", "private/log/{log}/tile/{tile}"],
  ["somebody/elses.txt", "other", "{other}"],
])("%s is of %s", (key, resource, keys) => {
  expect(objectClass(key)).toEqual({ resource, keys });
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { Known } from "../../publish/known.ts";
import { RequestTally } from "../../publish/status/request-tally.ts";
import { testFolder } from "../support/test-folder.ts";

const START = Date.parse("2026-11-20T10:00:00.000Z");
const HOUR = 3_600_000;

let directory = "";
let published: Known;
beforeEach(() => {
  directory = testFolder();
  published = Known.open(directory);
});
afterEach(() => {
  published.close();
});

test("requests are counted by kind of object and over a period", () => {
  const tally = new RequestTally(published, START);
  tally.count("put", "v1/public/telemetry");
  tally.count("put", "v1/public/installations/~a/telemetry");
  tally.count("put", "v1/public/installations/~b/telemetry");
  tally.count("get", "standby.json");
  tally.count("list", "site/assets/");
  tally.count("delete", "site/assets/page-0123abcd.js");
  expect(tally.report(START + HOUR)).toEqual({
    since: "2026-11-20T10:00:00.000Z",
    until: "2026-11-20T11:00:00.000Z",
    objects: {
      "v1/public/telemetry": { put: 1, get: 0, list: 0, delete: 0 },
      "v1/public/installations/~{installationId}/telemetry": { put: 2, get: 0, list: 0, delete: 0 },
      "standby.json": { put: 0, get: 1, list: 0, delete: 0 },
      "site/assets/{asset}": { put: 0, get: 0, list: 1, delete: 1 },
    },
  });
});

test("the counts of several runs add up, including requests after the last report", () => {
  const first = new RequestTally(published, START);
  first.count("put", "status.json");
  first.report(START + 1_000);
  first.count("put", "status.json");
  first.save();
  const second = new RequestTally(published, START + HOUR);
  second.count("put", "status.json");
  const reported = second.report(START + HOUR);
  expect(reported.since).toBe("2026-11-20T10:00:00.000Z");
  expect(reported.objects["status.json"]?.put).toBe(3);
});

test("the reported counts cover one to two days", () => {
  const tally = new RequestTally(published, START);
  for (const day of [0, 1, 2]) {
    tally.count("put", "status.json");
    tally.report(START + (day + 1) * 24 * HOUR);
  }
  tally.count("put", "status.json");
  const reported = tally.report(START + 80 * HOUR);
  expect(reported).toMatchObject({ since: "2026-11-22T10:00:00.000Z", until: "2026-11-23T18:00:00.000Z" });
  expect(reported.objects["status.json"]?.put).toBe(2);
});

test("counts from a clock that was set back, or of another version, start at zero", () => {
  const tally = new RequestTally(published, START);
  tally.count("put", "status.json");
  tally.save();
  expect(new RequestTally(published, START - 1).report(START).objects).toEqual({});
  published.rows.setMeta("requests", '{"of":"another"}');
  expect(new RequestTally(published, START).report(START)).toMatchObject({ objects: {} });
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { monthOf, priceOf, readPrices } from "../../../../bin/cli/cost.ts";

const SINCE = "2026-11-20T10:00:00.000Z";
const objects = {
  "status.json": { put: 360, get: 360, list: 0, delete: 0 },
  "v1/public/telemetry": { put: 720, get: 1, list: 0, delete: 2 },
};

test("a month is extrapolated from an hour, sorted by puts", () => {
  const month = monthOf({ since: SINCE, until: "2026-11-20T11:00:00.000Z", objects });
  expect(month).toEqual({
    measuredSeconds: 3_600,
    isRough: false,
    objects: [
      { keys: "v1/public/telemetry", put: 518_400, get: 720, list: 0, delete: 1_440 },
      { keys: "status.json", put: 259_200, get: 259_200, list: 0, delete: 0 },
    ],
    total: { put: 777_600, get: 259_920, list: 0, delete: 1_440 },
  });
});

test("an estimate from less than an hour is marked as rough, and less than a minute is an error", () => {
  expect(monthOf({ since: SINCE, until: "2026-11-20T10:59:59.000Z", objects }).isRough).toBe(true);
  const tooShort = { since: SINCE, until: "2026-11-20T10:00:59.999Z", objects };
  expect(() => monthOf(tooShort)).toThrow("no publisher has counted its requests for a minute");
  expect(() => monthOf(undefined)).toThrow("no publisher has counted its requests for a minute");
});

test("names of a foreign price table are printable, and a pipe or a device is not read", () => {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-prices-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "prices.json");
  const perMillion = { put: 1, list: 1, get: 1, delete: 0 };
  const provider = { name: "a\u001b[2J\nb", perMillion, free: { classA: 0, classB: 0 }, source: "x" };
  writeFileSync(path, JSON.stringify({ asOf: "2026-01-01", currency: "\u202eUSD", providers: { one: provider } }));
  const prices = readPrices(path);
  expect([prices.currency, prices.providers.one?.name]).toEqual(["\\u202eUSD", "a\\u001b[2J\\u000ab"]);
  for (const endless of ["/dev/zero", "/dev/null"]) {
    expect(() => readPrices(endless)).toThrow(`${endless} cannot be read: it is not a regular file`);
  }
});

test("requests in the free tier cost nothing, as in the documented table", () => {
  const { providers } = readPrices(undefined);
  const total = { put: 2_500_000, get: 12_000_000, list: 500_000, delete: 9_000_000 };
  expect(priceOf(total, providers.s3 as NonNullable<typeof providers.s3>)).toBeCloseTo(15 + 4.8, 9);
  expect(priceOf(total, providers.gcs as NonNullable<typeof providers.gcs>)).toBeCloseTo(15 + 4.8, 9);
  expect(priceOf(total, providers.r2 as NonNullable<typeof providers.r2>)).toBeCloseTo(9 + 0.72, 9);
  const little = { put: 1_000_000, get: 1, list: 0, delete: 0 };
  expect(priceOf(little, providers.r2 as NonNullable<typeof providers.r2>)).toBe(0);
  expect(priceOf({ put: 0, get: 0, list: 0, delete: 0 }, providers.s3 as NonNullable<typeof providers.s3>)).toBe(0);
});

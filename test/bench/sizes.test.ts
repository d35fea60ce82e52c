import { expect, test } from "vitest";
import { neededParts, type Sized, sizeOf } from "./scale/sizes.ts";

const sized = (changes: Partial<Sized>): Sized => ({
  readers: 1e6,
  devices: 1,
  dataCentres: 300,
  isPublisherDead: false,
  ...changes,
});

test("a hundred times as many readers less than double the bucket's load and do not change the publisher's", () => {
  const [million, hundred] = [sizeOf(sized({})), sizeOf(sized({ readers: 1e8 }))];
  expect(hundred.requests).toBeCloseTo(100 * million.requests);
  expect(hundred.gets / million.gets).toBeLessThan(2);
  expect(hundred.puts).toBe(million.puts);
});

test("a dead publisher puts nothing, and each fetch costs one shim request and two bucket requests", () => {
  const [alive, dead] = [sizeOf(sized({})), sizeOf(sized({ isPublisherDead: true }))];
  expect(alive.shimRequests).toBe(0);
  expect(dead.puts).toBe(0);
  expect(dead.gets).toBeCloseTo(2 * dead.shimRequests);
});

test("a part that is too small is listed with the required number", () => {
  const parts = (size: Sized) =>
    neededParts(sizeOf(size)).map(({ limit, count }) => `${count} ${limit.part} ${limit.of}`);
  expect(parts(sized({ readers: 100, dataCentres: 1 }))).toEqual([]);
  expect(parts(sized({ readers: 1e6 }))).toContain("2 a CloudFront distribution requests");
  expect(parts(sized({ readers: 100, dataCentres: 1, devices: 10_000 }))).toEqual([
    "5 a new bucket in Google Cloud Storage puts",
    "2 a partitioned prefix in S3 puts",
    "6 one publisher on radosgw puts",
  ]);
});

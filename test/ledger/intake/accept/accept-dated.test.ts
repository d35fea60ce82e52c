import { expect, test } from "vitest";
import { readWatermarks } from "../../../../src/ledger/watermarks.ts";
import {
  emptyLedger,
  epoch,
  instant,
  type Json,
  module,
  oracle,
  settlementControl,
  uuid,
  verdict,
  verdicts,
} from "../../samples.ts";
import { expectVerdicts } from "./expect-verdicts.ts";

test("facts that never change: a repetition is a duplicate, otherwise a conflict on the last key field", () => {
  const other: [Json, Json, string][] = [
    [epoch(), { approvedAt: instant(1) }, "counterEpoch"],
    [oracle(), { blockedReason: "other" }, "at"],
    [oracle(), { blockedReason: null }, "at"],
    [settlementControl(), { settlementEnabled: false }, "at"],
    [settlementControl(), { reporterEnvironmentEnabled: false }, "at"],
    [settlementControl(), { blockedReason: "held" }, "at"],
    [settlementControl(), { incidentOpen: true }, "at"],
  ];
  for (const [record, changes, field] of other) {
    const db = emptyLedger();
    expect(
      verdicts(db, record, record, { ...record, ...changes }, { ...record, installationId: "wheel-2", ...changes }),
    ).toEqual(["accepted", "duplicate", `conflict ${field}`, "accepted"]);
  }
});

test("dated facts are all kept, in any order of arrival", () => {
  const db = emptyLedger();
  for (const record of [oracle, settlementControl]) {
    expect(verdicts(db, record({ at: instant(5) }), record({ at: instant(1) }), record({ at: instant(9) }))).toEqual(
      Array(3).fill("accepted"),
    );
  }
  expect(verdicts(db, epoch(), epoch({ counterEpoch: uuid(2) }))).toEqual(["accepted", "accepted"]);
  expect(readWatermarks(db, 1)).toMatchObject({ oracle: 3, settlement_control: 3, epoch: 2, receipt: 0 });
});

test("a later module snapshot replaces, an earlier one is a duplicate with any content, and an equal instant is compared", () => {
  const db = emptyLedger();
  expectVerdicts(db, [
    [module({ observedAt: instant(10) }), "accepted"],
    [module({ observedAt: instant(9), state: "faulted" }), "duplicate"],
    [module({ observedAt: instant(10) }), "duplicate"],
    [module({ observedAt: instant(10), state: "faulted" }), "conflict observedAt"],
    [module({ observedAt: instant(9), state: "wrong" }), "invalid_field state"],
    [module({ observedAt: instant(11), state: "faulted" }), "accepted"],
    [module({ observedAt: instant(10) }), "duplicate"],
    [module({ instanceId: "encoder-1", observedAt: instant(1) }), "accepted"],
  ]);
  const rows = db.prepare("SELECT instance_id, state, observed_at, health_checked_at FROM module").raw().all();
  expect(rows).toEqual([
    ["encoder-0", "faulted", Date.parse(instant(11)), Date.parse(instant(-1))],
    ["encoder-1", "ready", Date.parse(instant(1)), Date.parse(instant(-1))],
  ]);
});

test("snapshots are compared as values: key order and the notation of numbers and instants do not matter, even in free parts", () => {
  const db = emptyLedger();
  const line = (data: string, checkedAt = instant(-1)) =>
    JSON.parse(JSON.stringify(module({ health: { checkedAt } })).replace('"data":{}', `"data":${data}`));
  expectVerdicts(db, [
    [line('{"a":100,"b":[{"c":null,"d":"x"}],"1":0}'), "accepted"],
    [line('{"b":[{"d":"\\u0078","c":null}],"1":-0,"a":1e2}'), "duplicate"],
    [line('{"a":100,"b":[{"c":null,"d":"x"}],"1":0}', "2026-11-20T10:59:59+01:00"), "duplicate"],
    [line('{"a":100,"b":[{"c":null,"d":"x"}],"1":0}', instant(-2)), "conflict observedAt"],
    [line('{"a":101,"b":[{"c":null,"d":"x"}],"1":0}'), "conflict observedAt"],
    [line('{"a":100,"b":[{"c":false,"d":"x"}],"1":0}'), "conflict observedAt"],
    [line('{"a":100,"b":[{"d":"x"}],"1":0}'), "conflict observedAt"],
  ]);
});

test("fields that are not in the public resource are stored, normalised", () => {
  const db = emptyLedger();
  const record = module({
    health: { code: "ok", checkedAt: "2026-11-20T11:00:00+01:00", z: 1 },
    data: { b: [], a: {} },
    configuration: { gain: 1.5, "😀": "é" },
    enabled: false,
  });
  verdicts(db, record);
  expect(JSON.parse(db.prepare("SELECT record FROM module").pluck().get() as string)).toEqual({
    ...record,
    health: { code: "ok", checkedAt: instant(0), z: 1 },
  });
});

test("a number outside the range of doubles is not null", () => {
  const db = emptyLedger();
  const lines = ["1e400", "-1e400", "null"].map((value) =>
    JSON.stringify(module()).replace('"data":{}', `"data":{"a":${value}}`),
  );
  expect(lines.map((line) => verdict(db, line))).toEqual(["accepted", "conflict observedAt", "conflict observedAt"]);
});

import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MILESTONE_STATE_TABLES } from "../../src/projections/activity/milestone-state.ts";
import { advanceMilestones } from "../../src/projections/activity/milestones.ts";
import { openProjections, openProjectionsCopy } from "../../src/projections/open.ts";
import { rebuildProjections } from "../../src/projections/rebuild.ts";
import { Failure } from "../../src/values/failure.ts";
import { advanceFully, contentOf } from "../resources/statistics/build-from-ledger.ts";
import { accept, emptyLedger, INSTALLATION } from "../resources/statistics/history.ts";
import { randomHistory } from "../resources/statistics/random-history.ts";

const { facts, genesis, at } = randomHistory(7);
const ledger = emptyLedger();
accept(ledger, facts);
const options = { installationId: INSTALLATION, genesis, at, onProgress: () => undefined };

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "noonmark-rebuild-"));
  path = join(directory, "projections.db");
});
afterEach(() => rmSync(directory, { recursive: true }));

test("rebuilt beside an open publisher: it sees the new content, equal to its own, and goes on from there", () => {
  const publisher = openProjections(path);
  advanceFully(ledger, publisher, { genesis, at });
  const before = contentOf(publisher);
  publisher.exec(
    "DELETE FROM day_rounds; UPDATE peak SET value = 1; INSERT INTO saved_history VALUES ('k', 'b', '{}')",
  );
  const seen: number[] = [];
  const rebuilt = rebuildProjections(path, ledger, {
    ...options,
    onProgress: ({ done, total }) => seen.push(done, total),
  });
  expect(contentOf(publisher)).toEqual(before);
  expect(publisher.prepare("SELECT body FROM saved_history").pluck().get()).toBe("{}");
  expect(rebuilt).toMatchObject({ hasGenesis: true });
  expect(rebuilt.rounds).toBeGreaterThan(0);
  expect(seen.at(-2)).toBe(2 * rebuilt.receipts + rebuilt.rounds);
  expect(existsSync(`${path}.rebuild`)).toBe(false);
  advanceFully(ledger, publisher, { genesis, at });
  expect(contentOf(publisher)).toEqual(before);
  publisher.close();
});

test("measurement events are replaced where they differ, and only those are told to the feed", () => {
  const fast = emptyLedger();
  const speeds = [600, 1300, 2000];
  accept(
    fast,
    speeds.map((speedMmPerSecond) => ({
      type: "receipt",
      counterEpoch: 1,
      observedAt: at,
      rpmMilli: 0,
      speedMmPerSecond,
    })),
  );
  const publisher = openProjections(path);
  while (advanceMilestones(publisher, fast, { no: 1, id: INSTALLATION }));
  const content = () =>
    ["activity_event", ...MILESTONE_STATE_TABLES].map((table) => publisher.prepare(`SELECT * FROM ${table}`).all());
  const before = content();
  const changes = publisher.prepare("SELECT key FROM activity_change ORDER BY no").pluck();
  expect(changes.all()).toHaveLength(6);
  publisher.exec(`DELETE FROM activity_change; UPDATE activity_event SET payload = '{}' WHERE type LIKE '%record' ;
    INSERT INTO activity_event VALUES ('0-chain', 'protocol', 1, 'system.round_released', '{}', '{}')`);
  rebuildProjections(path, fast, options);
  expect(new Set(changes.all()).size).toBe(2);
  publisher.exec("DELETE FROM activity_event WHERE key = '0-chain'");
  expect(content()).toEqual(before);
  publisher.close();
});

test("without a genesis the one that the old projections knew counts", () => {
  const old = openProjections(path);
  advanceFully(ledger, old, { genesis, at });
  const before = contentOf(old);
  old.close();
  expect(rebuildProjections(path, ledger, { ...options, genesis: undefined }).hasGenesis).toBe(true);
  const live = openProjections(path);
  expect(contentOf(live)).toEqual(before);
  live.close();
  expect(rebuildProjections(join(directory, "other.db"), ledger, { ...options, genesis: undefined })).toMatchObject({
    hasGenesis: false,
    rounds: 0,
  });
});

test("a broken file is replaced, what a killed rebuild left is taken over", () => {
  const good = openProjections(path);
  advanceFully(ledger, good, { genesis, at });
  const before = contentOf(good);
  good.close();
  truncateSync(path, 20_000);
  rebuildProjections(path, ledger, options);
  writeFileSync(path, "no database at all, but long enough to look like one ".repeat(20));
  const leftover = openProjections(`${path}.rebuild`);
  advanceFully(ledger, leftover, { genesis: genesis + 600n, at });
  leftover.close();
  rebuildProjections(path, ledger, options);
  const live = openProjections(path);
  expect(contentOf(live)).toEqual(before);
  live.close();
});

test("a second rebuild is refused with exit 75, a newer or foreign file with 74; all are left as they were", () => {
  const other = new SqliteDatabase(`${path}.rebuild`);
  other.exec("CREATE TABLE t (x)");
  other.exec("BEGIN EXCLUSIVE");
  expect(failureOf(() => rebuildProjections(path, ledger, options))).toMatchObject({
    code: "projections_locked",
    exitCode: 75,
  });
  other.exec("ROLLBACK");
  other.close();
  rmSync(`${path}.rebuild`);

  const live = openProjections(path);
  live.pragma("user_version = 99");
  live.close();
  for (const use of [() => rebuildProjections(path, ledger, options), () => openProjections(path)]) {
    expect(failureOf(use)).toMatchObject({ code: "projections_schema_newer", exitCode: 74 });
  }
  const foreign = new SqliteDatabase(join(directory, "foreign.db"));
  foreign.exec("CREATE TABLE t (x)");
  foreign.close();
  expect(failureOf(() => openProjections(join(directory, "foreign.db"))).code).toBe("projections_foreign");
});

test("an older schema is made anew; a broken file fails with what to do", () => {
  const old = openProjections(path);
  advanceFully(ledger, old, { genesis, at });
  old.pragma("user_version = 0");
  old.close();
  const anew = openProjections(path);
  expect(anew.prepare("SELECT count(*) FROM day_rounds").pluck().get()).toBe(0);
  anew.close();
  writeFileSync(path, "no database at all, but long enough to look like one ".repeat(20));
  const failure = failureOf(() => openProjections(path));
  expect(failure).toMatchObject({ code: "projections_not_a_database", exitCode: 74 });
  expect(failure.hint).toContain("noonmark rebuild");
});

test("a copy leaves no trace", () => {
  const live = openProjections(path);
  advanceFully(ledger, live, { genesis, at });
  const before = contentOf(live);
  const copy = openProjectionsCopy(path);
  expect(contentOf(copy)).toEqual(before);
  advanceFully(ledger, copy, { genesis: genesis + 600n, at });
  expect(contentOf(copy)).not.toEqual(before);
  expect(contentOf(live)).toEqual(before);
  copy.close();
  live.close();
  expect(contentOf(openProjectionsCopy(join(directory, "none.db")))).toBeDefined();
  expect(existsSync(join(directory, "none.db"))).toBe(false);
});

function failureOf(use: () => unknown): Failure {
  try {
    use();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("did not fail");
}

/** Derived data of a ledger that is gone never reaches the statistics (docs/facts.md#wrong-facts). */
import { expect, it } from "vitest";
import { closure, instant, type Json, receipt, round } from "../ledger/samples.ts";
import { stop, until } from "../support/processes.ts";
import { Scene } from "./scene.ts";

/** Accepted rounds from the first on, with this much work each. */
function rounds(count: number, workUnits: number): Json[] {
  return Array.from({ length: count }, (_, id) => {
    const end = instant(600 * (id + 1));
    return [round(id, { workUnits: String(workUnits), closedAt: end }), closure(id, id, { acceptedAt: end })];
  }).flat();
}

/** Publishes as of now, because a standby has no other clock. */
async function published(scene: Scene, ...more: string[]): Promise<void> {
  const { exitCode, stderr } = await scene.run("publish", "--once", ...more);
  expect(exitCode, stderr).toBe(0);
}

async function accepted(scene: Scene): Promise<unknown> {
  const now = (Date.now() - Date.parse(instant(0))) / 1_000;
  const bodies = ["7d", "30d"].map(async (range) => (await scene.read(`/v2/public/stats?range=${range}`, now)).body);
  return (await Promise.all(bodies)).map(({ lifetime }) => lifetime?.acceptedWorkUnits);
}
const both = (work: number) => [String(work), String(work)];

/** A standby has followed the ledger once it has asked for the lease for the second time. */
async function standBy(scene: Scene, ledger: string, state: string): Promise<void> {
  const publisher = scene.start("publish");
  const record = async () => (await scene.store.get("standby.json", { fresh: true }))?.tag;
  await until(
    "the publisher holds the lease",
    async () => (await scene.store.get("status.json", { fresh: true })) !== undefined,
  );
  const standby = scene.start("publish", "--ledger", ledger, "--state", state);
  try {
    const seen = new Set<unknown>([undefined]);
    await until("the standby has asked three times", async () => seen.add(await record()).size > 3);
  } finally {
    await stop(standby, "SIGTERM");
    await stop(publisher, "SIGTERM");
  }
}

it("rounds of an abandoned or of another ledger are counted by no publisher, whatever state it has", {
  timeout: 120_000,
}, async () => {
  await using scene = new Scene();
  await scene.ingest([receipt(1), ...rounds(3, 3_600)]);
  await published(scene);
  await published(scene, "--state", "followed");
  expect(await accepted(scene)).toEqual(both(10_800));
  // This standby's replica has other rounds.
  await scene.ingest([receipt(1), ...rounds(3, 100)], "replica.db");
  await standBy(scene, "replica.db", "strayed");

  await scene.ingest([receipt(1), ...rounds(3, 800)], "corrected.db");
  await published(scene, "--ledger", "corrected.db", "--new-log", "2", "--yes");
  expect(await accepted(scene)).toEqual(both(2_400));
  for (const [index, state] of ["followed", "strayed", "other", "state"].entries()) {
    const count = 4 + index;
    await scene.ingest(rounds(count, 800), "corrected.db");
    await published(scene, "--ledger", "corrected.db", "--state", state);
    expect([state, await accepted(scene)]).toEqual([state, both(800 * count)]);
  }

  // A new log may begin from a state that knows only another ledger.
  await scene.ingest([receipt(1), ...rounds(3, 500)], "third.db");
  await published(scene, "--ledger", "third.db", "--state", "strayed", "--new-log", "3", "--yes");
  expect(await accepted(scene)).toEqual(both(1_500));
  await scene.ingest(rounds(4, 500), "third.db");
  await published(scene, "--ledger", "third.db");
  expect(await accepted(scene)).toEqual(both(2_000));
  expect((await scene.run("fsck")).stdout).toContain(" 0 findings");
});

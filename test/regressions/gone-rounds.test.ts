/** Derived data of a ledger that is gone never reaches the statistics (docs/facts.md#wrong-facts). */
import { expect, it } from "vitest";
import { closure, instant, type Json, receipt, round } from "../ledger/samples.ts";
import { stop } from "../support/processes.ts";
import { followed } from "../support/running-cli.ts";
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

/** A standby whose ledger is not the published one. */
async function standBy(scene: Scene, ledger: string, state: string): Promise<void> {
  const publisher = followed(scene.start("publish"));
  try {
    await publisher.logged("cycle");
    const standby = followed(scene.start("publish", "--ledger", ledger, "--state", state));
    try {
      await standby.logged("the standby does not");
    } finally {
      await stop(standby.process, "SIGTERM");
    }
  } finally {
    await stop(publisher.process, "SIGTERM");
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
  await scene.ingest(rounds(4, 3_600));
  await published(scene, "--state", "strayed");
  expect(await accepted(scene)).toEqual(both(14_400));

  // Wrong facts are left behind with their prefix.
  for (const key of await scene.keys("")) await scene.store.delete(key);
  await scene.ingest([receipt(1), ...rounds(3, 800)], "corrected.db");
  for (const [index, state] of ["followed", "strayed", "other", "state"].entries()) {
    const count = 3 + index;
    await scene.ingest(rounds(count, 800), "corrected.db");
    await published(scene, "--ledger", "corrected.db", "--state", state);
    expect([state, await accepted(scene)]).toEqual([state, both(800 * count)]);
  }
});

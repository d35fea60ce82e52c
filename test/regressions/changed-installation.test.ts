/** A prefix belongs to one configured installation (docs/spec/publishing.md#owner). */
import { expect, it } from "vitest";
import { type Json, module, receipt } from "../ledger/samples.ts";
import { stop } from "../support/processes.ts";
import { followed } from "../support/running-cli.ts";
import { Scene } from "./scene.ts";

const receipts = (count: number, installationId = "wheel-1"): Json[] =>
  Array.from({ length: count }, (_, index) => receipt(index + 1, { installationId }));
const telemetryOf = (id: string) => `/v1/public/installations/${id}/telemetry`;

/** Every object with its tag. */
async function objects(scene: Scene): Promise<Record<string, string>> {
  const tags: Record<string, string> = {};
  for (const key of await scene.keys("")) tags[key] = (await scene.object(key)).tag;
  return tags;
}

it.each([["publish", "--once"], ["publish", "--once", "--force"], ["publish"]])(
  "another installation is refused with exit 2, and the store stays as it is: %s %s %s",
  async (...command) => {
    await using scene = new Scene();
    await scene.ingest([...receipts(5), ...receipts(5, "wheel-2")]);
    await scene.published(100);
    await scene.store.delete("v1/public/installations/~wheel-2/telemetry");
    const before = await objects(scene);
    scene.settings.installationId = "wheel-2";
    const { exitCode, stderr } = await scene.run(...command.filter((one) => one !== undefined));
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/installation_changed[^]* belongs to wheel-1, and installationId is wheel-2/),
    ]);
    expect(stderr).toContain("empty prefix");
    expect(await objects(scene)).toEqual(before);
  },
);

it("a second publisher of another installation ends at once, while the first one publishes", async () => {
  await using scene = new Scene();
  await scene.ingest([...receipts(5), ...receipts(5, "wheel-2")]);
  const first = followed(scene.start("publish"));
  try {
    await first.logged("cycle");
    const { exitCode, stderr } = await scene.run("publish", "--installation-id", "wheel-2", "--state", "second");
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("installation_changed")]);
    expect(first.process.exitCode).toBeNull();
  } finally {
    await stop(first.process, "SIGTERM");
  }
});

it("an id that the ledger does not know is refused with the nearest one, if the ledger knows others", async () => {
  await using scene = new Scene({ installationId: "whell-1" });
  // An empty ledger knows no others.
  await scene.ingest([]);
  await scene.published(90);
  await scene.ingest([...receipts(5), ...receipts(3, "mill-7")]);
  const before = await objects(scene);
  for (const mode of [["--once"], []]) {
    const { exitCode, stderr } = await scene.run("publish", ...mode);
    expect([mode, exitCode]).toEqual([mode, 2]);
    expect(stderr).toContain("the ledger has no facts of whell-1, only of wheel-1, mill-7");
  }
  expect(await objects(scene)).toEqual(before);
  await scene.published(100, "--allow-unknown");
});

it("a mistyped id is corrected while nothing is published, and readers then get the right installation", async () => {
  await using scene = new Scene({ installationId: "whell-1" });
  await scene.ingest([]);
  await scene.published(90);
  expect((await scene.read("/v1/public/telemetry", 100)).body).toMatchObject({
    installationId: "whell-1",
    status: "offline",
  });
  await scene.ingest([...receipts(5), ...receipts(3, "wheel-2"), module({ installationId: "wheel-1" })]);
  scene.settings.installationId = "wheel-1";
  await scene.published(110);
  for (const url of ["/v1/public/telemetry", telemetryOf("wheel-1")]) {
    expect((await scene.read(url, 110)).body).toMatchObject({
      installationId: "wheel-1",
      measurement: { cumulativeWorkUnits: "50" },
    });
  }
  expect((await scene.read("/v1/public/modules", 110)).body).toMatchObject({ installationId: "wheel-1" });
  expect((await scene.read(telemetryOf("whell-1"), 110)).body).toMatchObject({
    installationId: "whell-1",
    status: "offline",
  });
  scene.settings.installationId = "wheel-2";
  expect((await scene.publish(120)).exitCode).toBe(2);
});

it.each(["kept", "lost"])("a lost index is rebuilt only for the installation of the head (state %s)", async (state) => {
  await using scene = new Scene();
  await scene.ingest([...receipts(5), ...receipts(5, "wheel-2")]);
  await scene.published(100);
  await scene.store.delete("installations");
  await scene.store.delete("v1/public/telemetry");
  if (state === "lost") scene.loseState();
  const before = await objects(scene);
  scene.settings.installationId = "wheel-2";
  const refused = await scene.publish(110);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("installation_changed")]);
  expect(await objects(scene)).toEqual(before);
  scene.settings.installationId = "wheel-1";
  await scene.published(120, "--force");
  expect((await scene.read(telemetryOf("wheel-1"), 120)).body.measurement.cumulativeWorkUnits).toBe("50");
  expect((await scene.read(telemetryOf("wheel-2"), 120)).body.measurement.cumulativeWorkUnits).toBe("50");
});

/** A new log removes wrong facts from what is published, and only if the operator says so twice (docs/facts.md). */
import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { receipt } from "../ledger/samples.ts";
import { Scene } from "./scene.ts";

it("--new-log says first what the ledger lacks, and puts nothing without --yes", async () => {
  await using scene = new Scene();
  await scene.ingest([receipt(1), receipt(2), receipt(1, { installationId: "wheel-2" })]);
  await scene.published(10);
  await scene.ingest([receipt(1), receipt(1, { installationId: "wheel-2" })], "other.db");
  const before = await scene.object("installations");
  for (const mode of [["--once"], []]) {
    const { exitCode, stderr } = await scene.run("publish", ...mode, "--ledger", "other.db", "--new-log", "2");
    expect([mode, exitCode, stderr]).toEqual([mode, 2, expect.stringContaining("new_log_unconfirmed")]);
    expect(stderr).toContain("log 1 was published with 3 entries");
    expect(stderr).toContain("wheel-1: 1 of 2 facts");
    expect(stderr).toContain("wheel-2: 1 of 1 facts");
  }
  expect(await scene.object("installations")).toEqual(before);
  await scene.published(20, "--ledger", "other.db", "--new-log", "2", "--yes");
  const index = JSON.parse(new TextDecoder().decode((await scene.object("installations")).body));
  expect(index).toMatchObject({ log: 2, installations: ["wheel-1", "wheel-2"] });
});

it("a new ledger without the wrong fact and --new-log remove it from what is published", async () => {
  await using scene = new Scene();
  await scene.ingest([receipt(1), receipt(2), receipt(3)]);
  await scene.published(20);
  const right = [receipt(1), receipt(3)].map((record) => `${JSON.stringify(record)}\n`).join("");
  writeFileSync(scene.file("right.ndjson"), right);
  const ledger = ["--ledger", "corrected.db"];
  const ingest = ["ingest", ...ledger, "right.ndjson"];
  const behind = { exitCode: 1, stderr: expect.stringContaining("ledger_behind") };
  expect(await scene.run(...ingest)).toMatchObject(behind);
  expect((await scene.run(...ingest, "--yes")).exitCode).toBe(0);
  // Without the operator's flag nothing is taken back.
  expect((await scene.publish(30, ...ledger)).exitCode).toBe(1);
  await scene.published(30, ...ledger, "--new-log", "2", "--yes");
  await scene.published(40, ...ledger);
  expect((await scene.run("fsck")).exitCode).toBe(0);
  const { body } = await scene.read("/v1/public/installations/wheel-1/observations", 40);
  expect(body.items.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 3]);
});

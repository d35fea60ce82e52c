/** A new history removes wrong facts from what is published, but only for a known installation (docs/facts.md). */
import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { receipt } from "../ledger/samples.ts";
import { Scene } from "./scene.ts";

it("--new-history with an id that neither the ledger nor the index knows is rejected, and registers nothing", async () => {
  await using scene = new Scene();
  await scene.ingest([receipt(1)]);
  await scene.published(10);
  const { exitCode, stderr } = await scene.publish(20, "--new-history", "whell-1");
  const index = JSON.parse(new TextDecoder().decode((await scene.object("installations")).body));
  expect(Object.keys(index.installations)).toEqual(["wheel-1"]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("noonmark: unknown_installation: ")]);
});

it("--new-history works for an installation that only the index knows", async () => {
  await using scene = new Scene();
  await scene.ingest([receipt(1), receipt(1, { installationId: "wheel-2" })]);
  await scene.published(10);
  await scene.ingest([receipt(1)], "other.db");
  await scene.published(20, "--ledger", "other.db", "--new-history", "wheel-2");
  const index = JSON.parse(new TextDecoder().decode((await scene.object("installations")).body));
  expect(index.installations).toEqual({ "wheel-1": { history: "1" }, "wheel-2": { history: "2" } });
});

it("--new-history with an unknown id is rejected by a dry run, and in the first run of a store", async () => {
  await using scene = new Scene();
  await scene.ingest([receipt(1)]);
  for (const mode of [["--dry-run"], ["--once"], []]) {
    const { exitCode, stderr } = await scene.run("publish", ...mode, "--new-history", "whell-1");
    expect([mode, exitCode, stderr]).toEqual([mode, 2, expect.stringContaining("unknown_installation")]);
    expect(stderr).toContain("neither the ledger nor the index knows whell-1: the ledger has wheel-1");
  }
  expect(await scene.keys("installations")).toEqual([]);
});

it("a new ledger without the wrong fact and --new-history remove it from what is published", async () => {
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
  await scene.published(30, ...ledger, "--new-history", "wheel-1");
  await scene.published(40, ...ledger);
  expect((await scene.run("fsck")).exitCode).toBe(0);
  const { body } = await scene.read("/v1/public/installations/wheel-1/observations", 40);
  expect(body.items.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 3]);
});

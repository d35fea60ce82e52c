/** A new history is begun for an installation that is known, and for no other. */
import { expect, it } from "vitest";
import { receipt } from "../ledger/samples.ts";
import { Scene } from "./scene.ts";

// issue 21, case m
it("--new-history with an id that neither the ledger nor the index knows is refused, and registers nothing", async () => {
  await using scene = new Scene();
  await scene.ingest([receipt(1)]);
  await scene.published(10);
  const { exitCode, stderr } = await scene.publish(20, "--new-history", "whell-1");
  const index = JSON.parse(new TextDecoder().decode((await scene.object("installations")).body));
  expect(Object.keys(index.installations)).toEqual(["wheel-1"]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("noonmark: unknown_installation: ")]);
});

it("--new-history goes on for an installation that the index alone knows", async () => {
  await using scene = new Scene();
  await scene.ingest([receipt(1), receipt(1, { installationId: "wheel-2" })]);
  await scene.published(10);
  await scene.ingest([receipt(1)], "other.db");
  await scene.published(20, "--ledger", "other.db", "--new-history", "wheel-2");
  const index = JSON.parse(new TextDecoder().decode((await scene.object("installations")).body));
  expect(index.installations).toEqual({ "wheel-1": { history: "1" }, "wheel-2": { history: "2" } });
});

it("--new-history with an unknown id is refused by a dry run, and in the first run of a store", async () => {
  await using scene = new Scene();
  await scene.ingest([receipt(1)]);
  for (const mode of [["--dry-run"], ["--once"], []]) {
    const { exitCode, stderr } = await scene.run("publish", ...mode, "--new-history", "whell-1");
    expect([mode, exitCode, stderr]).toEqual([mode, 2, expect.stringContaining("unknown_installation")]);
    expect(stderr).toContain("neither the ledger nor the index knows whell-1: the ledger has wheel-1");
  }
  expect(await scene.keys("installations")).toEqual([]);
});

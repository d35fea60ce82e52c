/** A new history is begun for an installation that is known, and for no other. */
import { expect, it } from "vitest";
import { receipt } from "../ledger/samples.ts";
import { Scene } from "./scene.ts";

// issue 21, case m
it.fails("--new-history with an id that neither the ledger nor the index knows is refused, and registers nothing", async () => {
  await using scene = new Scene();
  await scene.ingest([receipt(1)]);
  await scene.published(10);
  const { exitCode, stderr } = await scene.publish(20, "--new-history", "whell-1");
  const index = JSON.parse(new TextDecoder().decode((await scene.object("installations")).body));
  expect(Object.keys(index.installations)).toEqual(["wheel-1"]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("noonmark: unknown_installation: ")]);
});

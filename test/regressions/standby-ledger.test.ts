/** A standby says whether its ledger contains the published log (docs/spec/publishing.md#source-version). */
import { expect, it, onTestFinished } from "vitest";
import { receipt, receipts } from "../ledger/samples.ts";
import { scrape } from "../support/exposition.ts";
import { stop, until } from "../support/processes.ts";
import { followed } from "../support/running-cli.ts";
import { Scene } from "./scene.ts";

it("a standby waits for the facts that it lacks, and never follows a forked ledger", async () => {
  await using scene = new Scene();
  await scene.ingest(receipts(1, 10));
  await scene.ingest(receipts(1, 9), "shorter.db");
  await scene.ingest(receipts(1, 12), "longer.db");
  await scene.ingest([...receipts(1, 9), receipt(10, { softwareVersion: "2.0.0" })], "forked.db");
  const started = (...more: string[]) => {
    const child = scene.start("publish", "--metrics", "127.0.0.1:0", ...more);
    onTestFinished(() => stop(child));
    return followed(child);
  };
  const holder = started();
  await holder.logged("cycle");

  const standBy = async (name: string) => {
    const { logged } = started("--ledger", `${name}.db`, "--state", name);
    const page = String((await logged("metrics")).url);
    const health = async () => (await (await fetch(new URL("/healthz", page))).json()) as Record<string, unknown>;
    const state = async () => {
      const samples = await scrape(page);
      return ["followed", "behind"].filter((one) => samples[`noonmark_ledger_state{state="${one}"}`] === 1);
    };
    return { logged, health, state };
  };
  const refused = "the standby does not follow its ledger: the log was published with 10 entries, and the ledger has ";
  const says = { status: "ok", phase: "standby" };

  const shorter = await standBy("shorter");
  expect(await shorter.logged("the standby does not")).toMatchObject({ code: "ledger_behind", msg: `${refused}9` });
  expect([await shorter.health(), await shorter.state()]).toMatchObject([{ ...says, ready: false }, ["behind"]]);
  await scene.ingest(receipts(10, 10), "shorter.db");
  await shorter.logged("the standby follows its ledger");
  expect([await shorter.health(), await shorter.state()]).toMatchObject([{ ...says, ready: true }, ["followed"]]);

  const longer = await standBy("longer");
  await until("it is ready", async () => (await longer.health()).ready === true);
  expect(await longer.state()).toEqual(["followed"]);

  const forked = await standBy("forked");
  await scene.ingest(receipts(11, 12), "forked.db");
  expect(await forked.logged("the standby does not")).toMatchObject({
    code: "ledger_forked",
    msg: `${refused}other facts among these`,
  });
  expect([await forked.health(), await forked.state()]).toMatchObject([{ ...says, ready: false }, ["behind"]]);
});

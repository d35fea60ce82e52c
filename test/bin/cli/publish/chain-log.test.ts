import { pino } from "pino";
import { expect, test } from "vitest";
import { chainLog } from "../../../../bin/cli/publish/chain-log.ts";

const DEAD = { type: "failed", node: "http://dead.test", message: "ECONNREFUSED" } as const;

function logged() {
  const lines: Record<string, unknown>[] = [];
  const clock = { now: 0 };
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { lines, clock, told: chainLog(log, () => clock.now) };
}

test("a dead node is one warning, then one every ten minutes with the number of those between", () => {
  const { lines, clock, told } = logged();
  for (; clock.now <= 1_200_000; clock.now += 2_000) told(DEAD);
  expect(lines.map(({ before }) => before)).toEqual([0, 299, 299]);
  expect(lines[0]).toMatchObject({ level: 40, msg: "chain", node: DEAD.node, message: DEAD.message });
});

test("a node that gives good responses again is one line with how long it was gone", () => {
  const { lines, clock, told } = logged();
  told(DEAD);
  clock.now = 90_000;
  told({ type: "good", node: "http://other.test", head: 7n });
  told({ type: "good", node: DEAD.node, head: 7n });
  told({ type: "good", node: DEAD.node, head: 8n });
  told(DEAD);
  expect(lines.map(({ msg }) => msg)).toEqual(["chain", "the node gives good responses again", "chain"]);
  expect(lines[1]).toMatchObject({ node: DEAD.node, afterMs: 90_000 });
});

test("a node that disagrees stays one warning while its polls find nothing new", () => {
  const { lines, clock, told } = logged();
  const lying = { type: "disagreement", node: DEAD.node, detail: "another says otherwise" } as const;
  for (; clock.now < 600_000; clock.now += 4_000) {
    told({ type: "good", node: DEAD.node, head: 7n });
    told(lying);
  }
  expect(lines.map(({ type }) => type)).toEqual(["disagreement"]);
  told(DEAD);
  told({ type: "good", node: DEAD.node, head: 8n });
  expect(lines.map(({ msg }) => msg)).toEqual(["chain", "chain", "the node gives good responses again"]);
});

/** The chain's views while the publisher's wall clock jumps and returns (docs/spec/publishing.md#moved-clock). */
import { describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import { SteadyClock } from "../../../publish/clock/clock.ts";
import { PublishedTime } from "../../../publish/clock/instant.ts";
import { CHAIN_START, reader, stage } from "../../support/chain/harness.ts";

const SECOND = 1_000;
/** The time between two passes: the default of `chainInterval`. */
const PASS_SECONDS = 4;

describe.skipIf(NO_ANVIL !== undefined)(`the chain${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  test.each([-3_600, 3_600])(
    "a clock that is %i s wrong for twelve seconds makes no view indexer_unavailable",
    async (by) => {
      await using on = await stage();
      await on.world.mine(30);
      using read = reader(on.world.deployment, [on.anvil.url]);
      let [monotonic, apart] = [0, CHAIN_START * SECOND];
      const clock = new SteadyClock({ wall: () => monotonic + apart, monotonic: () => monotonic });
      const time = new PublishedTime(
        () => monotonic,
        () => undefined,
      );
      const seenStatuses = new Set<string>();
      for (let second = 0; second < 60; second++) {
        if (second === 10) apart += by * SECOND;
        if (second === 22) apart -= by * SECOND;
        clock.check();
        read.now = time.now(clock.wall());
        if (second % PASS_SECONDS === 0) await read.poll();
        for (const one of read.statuses()) seenStatuses.add(one);
        monotonic += SECOND;
      }
      expect([...seenStatuses]).toEqual(["available"]);
    },
  );
});

// Governance from a real timelock's events and upgrades of a real Core (docs/spec/chain.md#derived).
import { type Hex, keccak256 } from "viem";
import { describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import { callData } from "../../../demo/chain/calls.ts";
import { IMPLEMENTATION_SLOT } from "../../../src/chain/view/reading.ts";
import { coreOf, type Reader, reader, type Stage, stage } from "../../support/chain/harness.ts";

describe.skipIf(NO_ANVIL !== undefined)(`governance${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  async function governance(on: Stage, read: Reader): Promise<string> {
    await on.world.confirm();
    const { operationId, operationKind, operationState } = coreOf(await read.poll()).governance;
    return `${operationKind} ${operationState} ${operationId}`;
  }

  test("none, pending, cancelled, scheduled again, executed, two pending, one cancelled", async () => {
    await using on = await stage();
    const { world } = on;
    using read = reader(world.deployment, [on.anvil.url]);
    const none = `0x${"0".repeat(64)}`;
    await world.confirm();
    expect(await governance(on, read)).toBe(`None None ${none}`);
    // An operation with another target than the proxy admin is ignored.
    const delay = callData("TimelockController", "updateDelay", [120n]);
    await world.execute(await world.scheduleCalls([world.deployment.operatorTimelock], [delay]));
    expect(await governance(on, read)).toBe(`None None ${none}`);
    const first = await world.scheduleUpgrade();
    expect(await governance(on, read)).toBe(`Upgrade Pending ${first.id}`);
    await world.cancel(first);
    expect(await governance(on, read)).toBe(`Upgrade Cancelled ${first.id}`);
    await world.reschedule(first);
    expect(await governance(on, read)).toBe(`Upgrade Pending ${first.id}`);
    await world.execute(first);
    expect(await governance(on, read)).toBe(`Upgrade Executed ${first.id}`);
    const { implementation } = coreOf(read.state());
    expect(implementation).toMatchObject({ codeAddress: first.implementation, codeVersion: "2.0.0" });
    const second = await world.scheduleUpgrade({ salt: 1 });
    const third = await world.scheduleUpgrade({ salt: 2 });
    expect(await governance(on, read)).toBe(`Conflict Conflict ${third.id}`);
    await world.cancel(second);
    expect(await governance(on, read)).toBe(`Upgrade Pending ${third.id}`);
    await world.cancel(third);
    expect(await governance(on, read)).toBe(`Upgrade Cancelled ${third.id}`);
  });

  test("a slot implementation that was not executed last is a conflict, and its code is read", async () => {
    await using on = await stage();
    const { world, anvil } = on;
    using read = reader(world.deployment, [anvil.url]);
    const operation = await world.scheduleUpgrade();
    await world.execute(operation);
    expect(await governance(on, read)).toBe(`Upgrade Executed ${operation.id}`);
    // There is no log: only the slot has the other address.
    const word = `0x${world.implementation.slice(2).padStart(64, "0")}`;
    await anvil.rpc("anvil_setStorageAt", [world.deployment.core, IMPLEMENTATION_SLOT, word]);
    await world.mine(1);
    expect(await governance(on, read)).toBe(`Conflict Conflict ${operation.id}`);
    const code = (await anvil.rpc("eth_getCode", [world.implementation, "latest"])) as Hex;
    expect(coreOf(read.state()).implementation).toMatchObject({
      codeAddress: world.implementation,
      codeVersion: "1.0.0",
      runtimeHash: keccak256(code),
    });
  });
});

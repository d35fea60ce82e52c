import { expect, test } from "vitest";
import { TickHealth } from "../../../publish/schedule/health.ts";

function subject() {
  const clock = { now: 5_000 };
  return { clock, health: new TickHealth(() => clock.now) };
}

test("a publisher is healthy while ticks finish, and for a minute after one was due", () => {
  const { clock, health } = subject();
  expect(health.state()).toEqual({ isWell: true, phase: "starting", quietSeconds: 0 });
  health.reached("publishing", 300_000);
  clock.now += 360_000;
  expect(health.state()).toEqual({ isWell: true, phase: "publishing", quietSeconds: 360 });
  clock.now += 1;
  expect(health.state()).toEqual({
    isWell: false,
    phase: "publishing",
    quietSeconds: 360,
    reason: "no tick has finished for 360 s, although one was due",
  });
  health.reached("publishing", 1_000);
  expect(health.state()).toMatchObject({ isWell: true, quietSeconds: 0 });
});

test("a start that does not finish is unhealthy after a minute, and a standby that asks is healthy", () => {
  const { clock, health } = subject();
  clock.now += 60_001;
  expect(health.state()).toMatchObject({ isWell: false, phase: "starting" });
  health.reached("standby", 0);
  clock.now += 2_000;
  expect(health.state()).toEqual({ isWell: true, phase: "standby", quietSeconds: 2 });
});

test("the error that ended a tick is the reason until a tick finishes", () => {
  const { health } = subject();
  health.reached("publishing", 1_000);
  health.failed(new Error("the store does not respond"));
  expect(health.state()).toMatchObject({ isWell: false, reason: "the store does not respond" });
  health.reached("publishing", 1_000);
  expect(health.state()).toMatchObject({ isWell: true });
});

/** Upgrades a test world's Core through its operator timelock, with transactions of the proposer. */
import { type Address, type Hex, numberToHex } from "viem";
import { call } from "./anvil.ts";
import { callData, deploy, type Receipt, send } from "./calls.ts";

/** An operation of the timelock, with everything needed to execute it. */
interface Operation {
  readonly id: Hex;
  readonly targets: readonly Address[];
  readonly payloads: readonly Hex[];
  readonly salt: Hex;
  readonly implementation: Address | undefined;
}

export interface Governance {
  /** Schedules an upgrade to a new CoreV2, or to `implementation`. `salt` distinguishes otherwise equal operations. */
  scheduleUpgrade(options?: { implementation?: Address; migrate?: boolean; salt?: number }): Promise<Operation>;
  /** Schedules calls: `schedule` for one, `scheduleBatch` for several. */
  scheduleCalls(targets: readonly Address[], payloads: readonly Hex[], salt?: number): Promise<Operation>;
  /** Schedules the same operation again. The timelock accepts that only after a cancellation. */
  reschedule(operation: Operation): Promise<Receipt>;
  /** Advances the clock past the delay and executes. */
  execute(operation: Operation): Promise<Receipt>;
  cancel(operation: Operation): Promise<Receipt>;
}

const NONE = numberToHex(0, { size: 32 });

export function governance(
  url: string,
  deployment: { core: Address; proxyAdmin: Address; operatorTimelock: Address },
  people: { deployer: Address; proposer: Address },
): Governance {
  const timelock = deployment.operatorTimelock;
  const toTimelock = (name: string, args: readonly unknown[]) =>
    send(url, people.proposer, timelock, callData("TimelockController", name, args));
  const delay = async () =>
    Number(
      await call(url, "eth_call", [
        { to: timelock, data: callData("TimelockController", "getMinDelay", []) },
        "latest",
      ]),
    );

  async function schedule({ targets, payloads, salt }: Omit<Operation, "id">): Promise<Receipt> {
    const wait = BigInt(await delay());
    if (targets.length === 1) return toTimelock("schedule", [targets[0], 0n, payloads[0], NONE, salt, wait]);
    return toTimelock("scheduleBatch", [targets, targets.map(() => 0n), payloads, NONE, salt, wait]);
  }

  async function scheduled(operation: Omit<Operation, "id">): Promise<Operation> {
    const receipt = await schedule(operation);
    const id = receipt.logs[0]?.topics[1];
    if (id === undefined) throw new Error("nothing was scheduled");
    return { ...operation, id };
  }

  return {
    async scheduleUpgrade({ implementation, migrate = implementation === undefined, salt = 0 } = {}) {
      const next = implementation ?? (await deploy(url, people.deployer, "CoreV2")).address;
      const migration = migrate ? callData("CoreV2", "migrate", []) : "0x";
      const payload = callData("ProxyAdmin", "upgradeAndCall", [deployment.core, next, migration]);
      const call = { targets: [deployment.proxyAdmin], payloads: [payload], implementation: next };
      return scheduled({ ...call, salt: numberToHex(salt, { size: 32 }) });
    },
    scheduleCalls: (targets, payloads, salt = 0) =>
      scheduled({ targets, payloads, salt: numberToHex(salt, { size: 32 }), implementation: undefined }),
    reschedule: schedule,
    async execute({ targets, payloads, salt }) {
      await call(url, "evm_increaseTime", [await delay()]);
      if (targets.length === 1) return toTimelock("execute", [targets[0], 0n, payloads[0], NONE, salt]);
      return toTimelock("executeBatch", [targets, targets.map(() => 0n), payloads, NONE, salt]);
    },
    cancel: (operation) => toTimelock("cancel", [operation.id]),
  };
}

/** Derives the operator timelock's last upgrade (docs/spec/chain.md#derived). */
import { decodeFunctionData, type Hex } from "viem";
import { PROXY_ADMIN_ABI } from "../abi.ts";
import type { ChainEvent, CoreView } from "../chain-state.ts";

interface Operation {
  readonly id: string;
  state: "Pending" | "Executed" | "Cancelled";
  /** Positions of the last scheduling and execution in the timelock's events; -1 if there is none. */
  scheduledAt: number;
  executedAt: number;
  /** True if a call of the operation targets the proxy admin. */
  upgrade: boolean;
  /** The implementation of the last upgradeAndCall; undefined if there is none. */
  implementation: string | undefined;
}

const NONE = `0x${"0".repeat(64)}`;

/** `events` are the timelock's, ascending. `slot` is the address in the Core's ERC-1967 implementation slot. */
export function governance(events: readonly ChainEvent[], proxyAdmin: string, slot: string): CoreView["governance"] {
  const upgrades = [...operations(events, proxyAdmin).values()].filter((operation) => operation.upgrade);
  const last = latest(upgrades, (operation) => operation.scheduledAt);
  if (last === undefined) return { operationId: NONE, operationKind: "None", operationState: "None" };
  const pending = upgrades.filter((operation) => operation.state === "Pending");
  const executed = latest(
    upgrades.filter((operation) => operation.executedAt >= 0),
    (operation) => operation.executedAt,
  );
  const replaced = executed?.implementation !== undefined && executed.implementation !== slot;
  if (pending.length > 1 || replaced) {
    return { operationId: last.id, operationKind: "Conflict", operationState: "Conflict" };
  }
  return { operationId: last.id, operationKind: "Upgrade", operationState: last.state };
}

function operations(events: readonly ChainEvent[], proxyAdmin: string): Map<string, Operation> {
  const found = new Map<string, Operation>();
  events.forEach((event, position) => {
    const id = argument(event, "id");
    const known = found.get(id);
    const operation: Operation = known ?? {
      id,
      state: "Pending",
      scheduledAt: -1,
      executedAt: -1,
      upgrade: false,
      implementation: undefined,
    };
    found.set(id, operation);
    if (event.eventName === "Cancelled") {
      operation.state = "Cancelled";
      return;
    }
    const scheduled = event.eventName === "CallScheduled";
    operation.state = scheduled ? "Pending" : "Executed";
    operation[scheduled ? "scheduledAt" : "executedAt"] = position;
    if (argument(event, "target") !== proxyAdmin) return;
    operation.upgrade = true;
    operation.implementation = newImplementation(argument(event, "data")) ?? operation.implementation;
  });
  return found;
}

/** Returns the implementation argument of upgradeAndCall for any proxy; undefined for other call data. */
function newImplementation(data: string): string | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: PROXY_ADMIN_ABI, data: data as Hex });
    return functionName === "upgradeAndCall" ? args[1] : undefined;
  } catch {
    return undefined;
  }
}

function latest(operations: readonly Operation[], position: (operation: Operation) => number): Operation | undefined {
  return operations.reduce<Operation | undefined>(
    (last, one) => (last === undefined || position(one) > position(last) ? one : last),
    undefined,
  );
}

function argument(event: ChainEvent, name: string): string {
  return event.arguments.find((one) => one.name === name)?.value ?? "";
}

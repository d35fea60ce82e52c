/** Sends transactions from anvil's unlocked accounts, waits until they are mined, and throws if they revert. */

import { type Address, encodeDeployData, encodeFunctionData, getAddress, type Hex } from "viem";
import { errorMessage } from "../../src/values/unknown.ts";
import { call, type RawLog } from "./anvil.ts";
import { artifact, type ContractName } from "./compile.ts";

export interface Receipt {
  readonly transactionHash: Hex;
  readonly blockNumber: number;
  readonly contractAddress: Address | null;
  readonly logs: readonly RawLog[];
}

/** Sends call data, or creation code if `to` is null, and waits until the transaction is mined. */
export async function send(url: string, from: string, to: string | null, data: Hex): Promise<Receipt> {
  const transaction = { from, ...(to === null ? {} : { to }), data, gas: "0x5f5e100", gasPrice: "0x77359400" };
  const hash = await call(url, "eth_sendTransaction", [transaction]);
  for (;;) {
    const receipt = await call(url, "eth_getTransactionReceipt", [hash]);
    if (receipt === null) continue;
    if (receipt.status !== "0x1")
      throw new Error(`transaction ${hash} to ${to} reverted: ${await revertReason(url, transaction)}`);
    return {
      ...receipt,
      blockNumber: Number(receipt.blockNumber),
      contractAddress: receipt.contractAddress === null ? null : getAddress(receipt.contractAddress),
    };
  }
}

export async function deploy(
  url: string,
  from: string,
  name: ContractName,
  args: readonly unknown[] = [],
): Promise<{ address: Address; blockNumber: number }> {
  const { abi, bytecode } = artifact(name);
  const receipt = await send(url, from, null, encodeDeployData({ abi, bytecode, args }));
  if (receipt.contractAddress === null) throw new Error(`${name} was not deployed`);
  return { address: receipt.contractAddress, blockNumber: receipt.blockNumber };
}

export function callData(name: ContractName, functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: artifact(name).abi, functionName, args });
}

async function revertReason(url: string, transaction: object): Promise<string> {
  try {
    await call(url, "eth_call", [transaction, "latest"]);
    return "no reason given";
  } catch (error) {
    return errorMessage(error);
  }
}

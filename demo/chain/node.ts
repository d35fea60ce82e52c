/** The demo's anvil process on a free loopback port. It mines only on request. */
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Hex } from "viem";
import { anvilArguments, call, callAll, listeningPort } from "./anvil.ts";
import type { Transaction } from "./transactions.ts";

/**
 * Runs a program and kills it when this script's parent exits, so a killed demo leaves no node behind. Kills the whole
 * process group, because the program may be a launcher.
 */
const GUARD = `
import { spawn } from "node:child_process";
const [program, ...args] = process.argv.slice(1);
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
child.once("error", (error) => {
  console.error(error.message);
  process.exit(1);
});
child.once("exit", (code) => process.exit(code ?? 1));
const end = () => process.kill(-process.pid, "SIGKILL");
process.once("disconnect", end);
process.once("SIGTERM", end);
`;
const GAS: Hex = "0x1e8480";
const GAS_PRICE: Hex = "0x77359400";

export interface Block {
  readonly number: number;
  /** Seconds. */
  readonly timestamp: number;
}

export class Node {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #nonces = new Map<string, number>();
  head: Block = { number: 0, timestamp: 0 };
  /** Resolves when the process exits, for any reason. */
  readonly ended: Promise<void>;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
    this.ended = new Promise((resolve) => {
      if (child.exitCode !== null) resolve();
      child.once("exit", () => resolve());
    });
  }

  /** `timestamp` is the genesis block's, in seconds. */
  static async start(binary: string, timestamp: number): Promise<Node> {
    const args = ["--no-mining", "--timestamp", String(timestamp)];
    const child = spawn(process.execPath, ["--input-type=module", "--eval", GUARD, binary, ...anvilArguments(args)], {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
      detached: true,
    });
    const url = `http://127.0.0.1:${await listeningPort(child)}`;
    const node = new Node(url, child);
    await node.readHead();
    return node;
  }

  async readHead(): Promise<void> {
    const block = await call(this.url, "eth_getBlockByNumber", ["latest", false]);
    this.head = { number: Number(block.number), timestamp: Number(block.timestamp) };
  }

  /**
   * Mines one block with these transactions and returns their hashes. The block's timestamp (seconds) is at least one
   * second after the head.
   */
  async mine(timestamp: number, transactions: readonly Transaction[] = []): Promise<readonly Hex[]> {
    const hashes = transactions.length === 0 ? [] : await this.#send(transactions);
    const next = { number: this.head.number + 1, timestamp: Math.max(timestamp, this.head.timestamp + 1) };
    await call(this.url, "evm_mine", [{ timestamp: next.timestamp }]);
    this.head = next;
    return hashes;
  }

  /** Throws if a transaction is not mined or has reverted. */
  async requireSuccess(hashes: readonly Hex[]): Promise<void> {
    const asked = hashes.map((hash) => [hash]);
    const receipts = (await callAll(this.url, "eth_getTransactionReceipt", asked)) as ({ status: Hex } | null)[];
    for (const [index, receipt] of receipts.entries()) {
      if (receipt?.status !== "0x1")
        throw new Error(`the demo's transaction ${hashes[index]} is not mined or has reverted`);
    }
  }

  /** Writes the node's state into a file, from which another node can continue. */
  async save(path: string): Promise<void> {
    const state = await call(this.url, "anvil_dumpState");
    writeFileSync(path, gunzipSync(Buffer.from(state.slice(2), "hex")));
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.ended;
  }

  async #send(transactions: readonly Transaction[]): Promise<readonly Hex[]> {
    const requests: object[][] = [];
    for (const { from, to, data } of transactions) {
      const nonce = this.#nonces.get(from) ?? Number(await call(this.url, "eth_getTransactionCount", [from, "latest"]));
      this.#nonces.set(from, nonce + 1);
      const transaction = { from, to, data, gas: GAS, gasPrice: GAS_PRICE, nonce: `0x${nonce.toString(16)}` };
      requests.push([transaction]);
    }
    return (await callAll(this.url, "eth_sendTransaction", requests)) as Hex[];
  }
}

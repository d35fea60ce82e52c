/** The demo's node: anvil on a free port of loopback. It mines only on request, and its state is kept in a file. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Hex } from "viem";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { anvilArguments, call, listeningPort } from "./anvil.ts";
import type { Transaction } from "./transactions.ts";

/**
 * Runs the program of its arguments, and ends it with the process that started this: a killed demo leaves no node behind. The
 * program may be a launcher of the real one, so the whole process group is killed.
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
  readonly #state: string;
  readonly #nonces = new Map<string, number>();
  head: Block;
  /** Resolves when it ends, wanted or not. */
  readonly ended: Promise<void>;

  private constructor(url: string, child: ChildProcess, state: string, head: Block) {
    this.url = url;
    this.#child = child;
    this.#state = state;
    this.head = head;
    this.ended = new Promise((resolve) => {
      if (child.exitCode !== null) resolve();
      child.once("exit", () => resolve());
    });
  }

  /** Continues from the file `state` if it exists; `timestamp` (seconds) is that of the genesis block. */
  static async start(binary: string, state: string, timestamp: number): Promise<Node> {
    const from = existsSync(state) ? ["--load-state", state] : [];
    // Without a timestamp a continued node accepts no block from before its start.
    const args = ["--no-mining", "--timestamp", String(timestamp), ...from];
    const child = spawn(process.execPath, ["--input-type=module", "--eval", GUARD, binary, ...anvilArguments(args)], {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
      detached: true,
    });
    const url = `http://127.0.0.1:${await listeningPort(child)}`;
    const node = new Node(url, child, state, { number: 0, timestamp: 0 });
    await node.readHead();
    return node;
  }

  async readHead(): Promise<void> {
    const block = (await call(this.url, "eth_getBlockByNumber", ["latest", false])) as Record<
      "number" | "timestamp",
      Hex
    >;
    this.head = { number: Number(block.number), timestamp: Number(block.timestamp) };
  }

  /**
   * One block of these transactions, in their senders' order; returns their hashes. `timestamp` (seconds) or just after the
   * head.
   */
  async mine(timestamp: number, transactions: readonly Transaction[] = []): Promise<readonly Hex[]> {
    const hashes = transactions.length === 0 ? [] : await this.#send(transactions);
    const next = { number: this.head.number + 1, timestamp: Math.max(timestamp, this.head.timestamp + 1) };
    await call(this.url, "evm_mine", [{ timestamp: next.timestamp }]);
    this.head = next;
    return hashes;
  }

  /** Throws if one of them is not mined, or is and reverted. */
  async requireSuccess(hashes: readonly Hex[]): Promise<void> {
    const receipts = await callAll(
      this.url,
      hashes.map((hash) => ["eth_getTransactionReceipt", [hash]]),
    );
    for (const [index, receipt] of (receipts as ({ status: Hex } | null)[]).entries()) {
      if (receipt?.status !== "0x1") throw new Error(`the demo's transaction ${hashes[index]} has failed`);
    }
  }

  /** Keeps all of it: the next start continues from here. */
  async save(): Promise<void> {
    const state = (await call(this.url, "anvil_dumpState")) as Hex;
    const unfinished = `${this.#state}.unfinished`;
    writeFileSync(unfinished, gunzipSync(Buffer.from(state.slice(2), "hex")));
    renameSync(unfinished, this.#state);
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.ended;
  }

  async #send(transactions: readonly Transaction[]): Promise<readonly Hex[]> {
    const requests: [string, unknown[]][] = [];
    for (const { from, to, data } of transactions) {
      const nonce = this.#nonces.get(from) ?? Number(await call(this.url, "eth_getTransactionCount", [from, "latest"]));
      this.#nonces.set(from, nonce + 1);
      const transaction = { from, to, data, gas: GAS, gasPrice: GAS_PRICE, nonce: `0x${nonce.toString(16)}` };
      requests.push(["eth_sendTransaction", [transaction]]);
    }
    return (await callAll(this.url, requests)) as Hex[];
  }
}

/** Several calls in one request; the responses in their order. */
async function callAll(url: string, calls: readonly (readonly [string, readonly unknown[]])[]): Promise<unknown[]> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }))),
  });
  const answers = (await response.json()) as { id: number; result?: unknown; error?: { message: string } }[];
  const results: unknown[] = [];
  for (const { id, result, error } of answers) {
    if (error !== undefined) {
      throw new Failure("demo_chain", `the demo's chain refused ${calls[id]?.[0]}: ${error.message}`, {
        exit: EXIT.failed,
      });
    }
    results[id] = result;
  }
  return results;
}

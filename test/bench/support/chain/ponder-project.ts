/** Writes a Ponder project that stores every event of a world's contracts, and runs it. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { World } from "../../../../demo/chain/deploy.ts";
import * as abis from "../../../../src/chain/abi.ts";
import { freePort } from "../../../support/free-port.ts";

const PACKAGES = ["ponder@0.16.10", "hono", "viem@2.57.1", "typescript@5.9"];

const CONFIG = `import { createConfig } from "ponder";
import { chain, contracts } from "./world";
export default createConfig({ chains: { bench: chain }, contracts } as any);
`;
const SCHEMA = `import { onchainTable } from "ponder";
export const stored = onchainTable("stored", (t) => ({
  id: t.text().primaryKey(), block: t.bigint().notNull(), name: t.text().notNull(), args: t.text().notNull(),
}));
`;
const INDEX = `import { ponder } from "ponder:registry";
import { stored } from "ponder:schema";
import { contracts } from "../world";
for (const [contract, { abi }] of Object.entries(contracts) as any) {
  for (const item of abi) {
    if (item.type !== "event") continue;
    const name = contract + ":" + item.name;
    ponder.on(name as any, async ({ event, context }: any) => {
      const args = JSON.stringify(event.args, (_, value) => (typeof value === "bigint" ? String(value) : value));
      await context.db.insert(stored).values({ id: event.id, block: event.block.number, name, args });
    });
  }
}
`;
const API = `import { Hono } from "hono";
import { graphql } from "ponder";
import { db } from "ponder:api";
import schema from "ponder:schema";
const app = new Hono();
app.use("/graphql", graphql({ db, schema }));
export default app;
`;

export interface PonderRun {
  readonly ready: boolean;
  readonly seconds: number;
  /** Rows in Ponder's table at the end; undefined if its GraphQL query returned no count. */
  readonly events: number | undefined;
}

/** Installs Ponder into an empty folder and writes the project there. */
export function writePonderProject(folder: string, world: World): void {
  const { deploymentBlock: startBlock, factory, core, proxyAdmin, operatorTimelock, economy } = world.deployment;
  if (economy === undefined) throw new Error("this world has no economy");
  const contract = (address: string, abi: readonly unknown[]) => ({ chain: "bench", abi, address, startBlock });
  const contracts = {
    Factory: contract(factory, abis.FACTORY_ABI),
    Core: contract(core, abis.CORE_ABI),
    ProxyAdmin: contract(proxyAdmin, abis.PROXY_ADMIN_ABI),
    Timelock: contract(operatorTimelock, abis.TIMELOCK_ABI),
    Mining: contract(economy.mining, abis.MINING_ABI),
    Collection: contract(economy.collection, abis.COLLECTION_ABI),
  };
  const chain = { id: world.deployment.chainId, rpc: world.url };
  mkdirSync(join(folder, "src", "api"), { recursive: true });
  const files = {
    "package.json": '{"type":"module","private":true}',
    "world.ts": `export const chain = ${JSON.stringify(chain)};\nexport const contracts = ${JSON.stringify(contracts)};\n`,
    "ponder.config.ts": CONFIG,
    "ponder.schema.ts": SCHEMA,
    "src/index.ts": INDEX,
    "src/api/index.ts": API,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  execFileSync("npm", ["install", "--save-exact", "--no-audit", "--no-fund", ...PACKAGES], {
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore"],
  });
}

/** Runs Ponder with its defaults until it reports ready, or for `limit` seconds. Timing starts with the process. */
export async function runPonder(folder: string, schema: string, limit: number): Promise<PonderRun> {
  const port = await freePort();
  const log = join(folder, `${schema}.log`);
  const output = openSync(log, "w");
  const program = join(folder, "node_modules/ponder/dist/esm/bin/ponder.js");
  const options = ["--schema", schema, "--port", String(port), "--hostname", "127.0.0.1"];
  const started = performance.now();
  const child = spawn(process.execPath, [program, "start", ...options], {
    cwd: folder,
    env: { ...process.env, PONDER_TELEMETRY_DISABLED: "true", CI: "1" },
    stdio: ["ignore", output, output],
  });
  try {
    const seconds = () => (performance.now() - started) / 1000;
    let ready = false;
    while (!ready && seconds() < limit) {
      if (child.exitCode !== null) throw new Error(`Ponder exited:\n${readFileSync(log, "utf8").slice(-3_000)}`);
      await delay(50);
      ready = await fetch(`http://127.0.0.1:${port}/ready`).then(
        (response) => response.status === 200,
        () => false, // not listening yet
      );
    }
    return { ready, seconds: seconds(), events: await countStored(port) };
  } finally {
    await end(child);
  }
}

async function countStored(port: number): Promise<number | undefined> {
  const body = JSON.stringify({ query: "{ storeds { totalCount } }" });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, { method: "POST", headers, body });
  const result = (await response.json()) as { data?: { storeds?: { totalCount: number } } };
  return result.data?.storeds?.totalCount;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const hard = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await exited;
  clearTimeout(hard);
}

/** Sends each node of the chain a request, and runs the deployment's checks. */
import { CLOCK_TOLERANCE_MS } from "../../../publish/clock/clock.ts";
import { pollUntilConcluded } from "../../../src/chain/chain.ts";
import { isNodeProblem, type NodeProblem, type PollEvent, problemFailure } from "../../../src/chain/poll-event.ts";
import { UINT256_MAX } from "../../../src/values/decimal.ts";
import { fieldsOf } from "../../../src/values/unknown.ts";
import { openChainCopy } from "../chain/chain.ts";
import { reported } from "../hints.ts";
import type { Settings } from "../settings/settings.ts";
import { badFinding, type Finding, goodFinding } from "./finding.ts";
import { duration } from "./print-publication.ts";

/** Time limits (ms) for a node's response, and for the pass that checks the deployment. */
const NODE_LIMIT_MS = 10_000;
const PASS_LIMIT_MS = 20_000;
/** A node whose head is older than this (s) is not advancing. */
const MAX_HEAD_AGE_SECONDS = 120;

/** Results that are no faults: a deployment without an economy, or a block that is not safe yet. */
const HEALTHY: ReadonlySet<string> = new Set(["available", "indexer_disabled", "not_yet_safe"]);

type Fault = Extract<PollEvent, { readonly check: string }>;

/** `now` is in epoch ms. Throws `Failure` if the deployment file is invalid. */
export async function examineChain(settings: Settings, now: () => number): Promise<Finding[]> {
  if (settings.deployment === undefined || settings.rpcUrl === undefined) {
    return [goodFinding("chain", "none: its views are disabled")];
  }
  const { readDeployment } = await import("../../../src/chain/deployment.ts");
  const { chainId } = readDeployment(settings.deployment);
  const addresses = settings.rpcUrl.split(",").map((one) => one.trim());
  const nodes = await Promise.all(addresses.map((address) => examineNode(address, chainId, now)));
  const deployment = await examineDeployment(settings, now);
  // A node that does not respond is one problem, and no fault of the deployment.
  return nodes.some(({ saw }) => deployment.saw.endsWith(saw)) ? nodes : [...nodes, deployment];
}

async function examineNode(address: string, chainId: number, now: () => number): Promise<Finding> {
  const { rpcNode } = await import("../../../src/chain/rpc/rpc-node.ts");
  const { RpcError } = await import("../../../src/chain/rpc/rpc-error.ts");
  const { instant, quantity } = await import("../../../src/chain/rpc/node-responses.ts");
  const node = rpcNode(address, {
    attempts: 1,
    deadline: now() + NODE_LIMIT_MS,
    now,
    sleep: async () => {},
    random: () => 0,
    repeatSilent: false,
  });
  const check = `node ${node.label}`;
  const calls = [
    { method: "eth_chainId", params: [] },
    { method: "eth_getBlockByNumber", params: ["latest", false] },
  ];
  try {
    let batch = "batches";
    const [id, head] = await node.batch(calls).catch(async () => {
      batch = "no batches: each call is a request";
      return Promise.all(calls.map(({ method, params }) => node.request(method, params)));
    });
    const { number, timestamp } = fieldsOf(head);
    const age = (now() - instant(timestamp)) / 1000;
    const found = quantity(id, UINT256_MAX);
    const old = age < -CLOCK_TOLERANCE_MS / 1000 ? `${duration(-age)} ahead of this clock` : `${duration(age)} old`;
    const saw = `chain ${found}, head ${quantity(number)} (${old}), ${batch}`;
    if (found !== BigInt(chainId)) {
      return badFinding(check, saw, `The deployment is on chain ${chainId}: correct rpcUrl or the deployment file.`);
    }
    return age > MAX_HEAD_AGE_SECONDS
      ? badFinding(check, saw, "It does not follow the chain: see why, or name another node in rpcUrl.")
      : goodFinding(check, saw);
  } catch (error) {
    const what = error instanceof RpcError ? error.message : "its response is not that of a node";
    return badFinding(check, what, "Check the address, its key and whether the node runs.");
  }
}

/** Runs a pass over a copy of the publisher's file, which itself does not change. */
async function examineDeployment(settings: Settings, now: () => number): Promise<Finding> {
  const faults: Fault[] = [];
  let failed: string | undefined;
  let ofNode: NodeProblem | undefined;
  const onEvent = (event: PollEvent) => {
    if (event.kind === "mismatch" || event.kind === "unconfirmed_fault") faults.push(event);
    if (event.kind === "failed") failed = event.message;
    if (isNodeProblem(event)) ofNode = event;
  };
  const chain = await openChainCopy(settings, { now, onEvent });
  try {
    await pollUntilConcluded(chain, now, now() + PASS_LIMIT_MS);
    const [fault] = faults;
    if (fault !== undefined) {
      return badFinding(
        "deployment",
        `${fault.check}: ${fault.detail}`,
        "docs/spec/chain.md#checks says what it compares. Correct the deployment file, or remove that node from rpcUrl.",
      );
    }
    if (ofNode !== undefined) {
      const { code, hint } = reported(problemFailure(ofNode));
      return badFinding(`node ${ofNode.node}`, `${code}: ${ofNode.detail}`, hint);
    }
    const { core, economy } = chain.state(now());
    const views = [core, economy].map((view) => (view.status === "available" ? "available" : view.reason));
    const saw = `core ${views[0]}, economy ${views[1]}`;
    const isGood = views.every((view) => HEALTHY.has(view));
    if (isGood) return goodFinding("deployment", `no check failed; ${saw}`);
    return badFinding(
      "deployment",
      `it could not be checked: ${failed ?? saw}`,
      "Run noonmark status again in a minute: a node that has just started, or a first sync, may need more time than this command waits.",
    );
  } finally {
    chain.close();
  }
}

/** The chain that the settings name. */
import { join } from "node:path";
import { type Deployment, readDeployment } from "../../../src/chain/deployment.ts";
import { type Chain, openChain } from "../../../src/chain/open-chain.ts";
import type { PollEvent } from "../../../src/chain/sync/poll-event.ts";
import { CHAIN_FILE } from "../../../src/chain/sync/schema.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import type { Settings } from "../settings.ts";

export interface ConfiguredChain {
  readonly deployment: Deployment;
  readonly rpcUrls: readonly string[];
  readonly chain: Chain;
}

/** Undefined without a deployment file or without an RPC address (indexer_disabled). Throws `Failure`. */
export function openConfiguredChain(
  settings: Settings,
  onEvent: (event: PollEvent) => void = () => undefined,
): ConfiguredChain | undefined {
  if (settings.deployment === undefined || settings.rpcUrl === undefined) return undefined;
  const deployment = readDeployment(settings.deployment);
  const rpcUrls = rpcAddresses(settings.rpcUrl);
  const genesis = settings.genesisTimestamp;
  const chain = openChain({
    deployment,
    rpcUrls,
    statePath: join(settings.state, CHAIN_FILE),
    grace: settings.chainGrace * 1000,
    word: settings.chainWord * 1000,
    now: Date.now,
    genesisTimestamp: genesis === undefined ? undefined : BigInt(genesis),
    onEvent,
  });
  return { deployment, rpcUrls, chain };
}

/** `a, b` → each address, in order of preference. Throws `Failure`, without the address: it may hold a key. */
export function rpcAddresses(text: string): string[] {
  const addresses = text
    .split(",")
    .map((address) => address.trim())
    .filter((address) => address !== "");
  const wrong = addresses.findIndex((address) => !/^https?:\/\//i.test(address) || !URL.canParse(address));
  if (addresses.length > 0 && wrong === -1) return addresses;
  throw new Failure("invalid_setting", `rpcUrl: address ${wrong + 1} of ${addresses.length} is no http(s) URL`, {
    exit: EXIT.usage,
    hint: "Give --rpc-url <url[,url]> or NOONMARK_RPC_URL, in order of preference.",
  });
}

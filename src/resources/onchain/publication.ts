/** Publishes onchain (docs/spec/api.md#onchain), and the constant response that replaces it when it expires. */
import { constantKey } from "../../http/keys.ts";
import { chainInput, heightTiming, ONCHAIN_HEIGHT_INTERVAL } from "../inputs.ts";
import type { Publication } from "../publication.ts";
import { buildOnchain, buildUnavailableOnchain } from "./build.ts";
import { ONCHAIN_KEY } from "./route.ts";

/** The constant response comes first, because an object must be stored before another one names it. */
export const onchainPublications: readonly Publication[] = [
  {
    resource: "onchain",
    key: constantKey(ONCHAIN_KEY),
    inputs: ({ installationId }) => installationId,
    build: ({ installationId }) => buildUnavailableOnchain(installationId, "indexer_unavailable"),
  },
  {
    resource: "onchain",
    key: ONCHAIN_KEY,
    sources: { usesChain: true, isChainView: true },
    inputs: ({ chain }) => chainInput(chain),
    timing: heightTiming(ONCHAIN_HEIGHT_INTERVAL),
    build: ({ installationId, chain }, at) => buildOnchain(installationId, chain, at),
  },
];

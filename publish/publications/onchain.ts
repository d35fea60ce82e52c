/** read-api.md 4.6: the onchain snapshot, and the constant answer once its word has run out. */
import { constantKey, ONCHAIN_KEY } from "../../src/http/keys.ts";
import { buildOnchain, buildUnavailableOnchain } from "../../src/resources/onchain/build.ts";
import type { Publication } from "../answers/publication.ts";
import { chainHeight, chainNews, ONCHAIN_HEIGHT_INTERVAL } from "./chain-inputs.ts";

/** The constant answer first: nothing may name what is not yet there. */
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
    inputs: ({ chain }) => chainNews(chain),
    minorInputs: ({ chain }) => chainHeight(chain),
    minorInterval: ONCHAIN_HEIGHT_INTERVAL,
    build: ({ installationId, chain }, at) => buildOnchain(installationId, chain, at),
  },
];

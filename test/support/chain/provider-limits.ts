/** The errors with which RPC providers reject a range of logs, verbatim from their documentation and issue trackers. */
import type { Fault } from "./scripted-rpc.ts";

export const PROVIDER_LIMITS: Readonly<Record<string, Fault>> = {
  alchemy: {
    error: {
      code: -32602,
      message:
        "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x4, 0x30]",
    },
  },
  infura: {
    error: {
      code: -32005,
      message: "query returned more than 10000 results. Try with this block range [0x4, 0x30].",
      data: { from: "0x4", limit: 10000, to: "0x30" },
    },
  },
  "base, public": {
    http: {
      status: 503,
      body: '{"jsonrpc":"2.0","id":0,"error":{"code":-32011,"message":"no backend is currently healthy to serve traffic"}}',
    },
  },
  quicknode: { error: { code: -32614, message: "eth_getLogs is limited to a 10,000 range" } },
  ankr: { error: { code: -32600, message: "block range is too wide" } },
  cloudflare: {
    error: {
      code: -32047,
      message: "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800",
    },
  },
  "geth and reth": { error: { code: -32602, message: "query exceeds max results 20000, retry with the range 4-48" } },
  drpc: { error: { code: 35, message: "ranges over 10000 blocks are not supported on freetier" } },
  avalanche: { error: { code: -32000, message: "requested too many blocks from 4 to 300, maximum is set to 2048" } },
  "optimism's proxy": {
    http: {
      status: 413,
      body: '{"jsonrpc":"2.0","error":{"code":-32020,"message":"backend response too large"},"id":0}',
    },
  },
  "chainstack, in an HTTP 400": {
    http: {
      status: 400,
      body: '{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"Block range limit exceeded. See more details at https://docs.chainstack.com/docs/limits"}}',
    },
  },
  "arbitrum's nitro": { error: { code: -32000, message: "logs matched by query exceeds limit of 10000" } },
  "a node with an unknown error": { error: { code: -39999, message: "that is rather a lot" } },
};

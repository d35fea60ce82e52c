/**
 * A local RPC server in front of a real node. A script sees every call and can replace the node's response, change it
 * or break the connection. All other calls reach the node.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { localServer } from "../local-server.ts";

export interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The script's action for a call. */
export type Fault =
  /** Replaces the node's response. */
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  /** Changes the node's result. */
  | { readonly change: (result: never) => unknown }
  /** Replaces the allFaults HTTP response, including the other calls of the batch. */
  | { readonly http: { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string } }
  /** Never responds. */
  | { readonly hang: true }
  /** Cuts the real response off after this many bytes. */
  | { readonly truncate: number }
  /** Prepends this many spaces to the real response. */
  | { readonly pad: number };

/** Called for every call; undefined passes the call to the node. `request` counts HTTP requests from 1. */
// biome-ignore lint/suspicious/noConfusingVoidType: a script that only counts returns nothing
export type Script = (call: Call, request: number) => Fault | undefined | void;

export interface ScriptedRpc extends AsyncDisposable {
  readonly url: string;
  /** HTTP requests so far. */
  requests: number;
  /** Replaces the script. */
  script: Script;
  /** URL of the real node. Tests can switch it. */
  target: string;
}

export async function scriptedRpc(target: string, script: Script = () => undefined): Promise<ScriptedRpc> {
  const { url, stop } = await localServer((request, response) => {
    handle(self, request, response).catch((error) => response.destroy(error));
  });
  const self: ScriptedRpc = {
    url,
    requests: 0,
    script,
    target,
    [Symbol.asyncDispose]: stop,
  };
  return self;
}

interface Reply {
  id?: unknown;
  result?: unknown;
  error?: unknown;
}

async function handle(rpc: ScriptedRpc, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const number = ++rpc.requests;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body = JSON.parse(text) as Call | Call[];
  const calls = Array.isArray(body) ? body : [body];
  const faults = new Map(calls.map((call) => [call.id, rpc.script(call, number) ?? undefined]));
  const allFaults = [...faults.values()];
  if (allFaults.some((fault) => fault !== undefined && "hang" in fault)) return;
  const http = allFaults.find((fault) => fault !== undefined && "http" in fault);
  if (http !== undefined && "http" in http) {
    response.writeHead(http.http.status ?? 200, { "content-type": "application/json", ...http.http.headers });
    response.end(http.http.body ?? "");
    return;
  }
  const headers = { "content-type": "application/json" };
  const real = await fetch(rpc.target, { method: "POST", headers, body: text });
  const replies = (await real.json()) as Reply | Reply[];
  const changed = (Array.isArray(replies) ? replies : [replies]).map((one) => applied(one, faults.get(one.id)));
  const full = JSON.stringify(Array.isArray(replies) ? changed : changed[0]);
  response.writeHead(200, headers);
  const pad = allFaults.find((fault) => fault !== undefined && "pad" in fault);
  if (pad !== undefined && "pad" in pad) response.write(" ".repeat(pad.pad));
  const cut = allFaults.find((fault) => fault !== undefined && "truncate" in fault);
  response.end(cut !== undefined && "truncate" in cut ? full.slice(0, cut.truncate) : full);
}

function applied(one: Reply, fault: Fault | undefined): Reply {
  if (fault === undefined) return one;
  const { id } = one;
  const envelope = { jsonrpc: "2.0", id };
  if ("result" in fault) return { ...envelope, result: fault.result };
  if ("error" in fault) return { ...envelope, error: fault.error };
  if ("change" in fault && one.error === undefined) return { ...one, result: fault.change(one.result as never) };
  return one;
}

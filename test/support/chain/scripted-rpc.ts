/**
 * An RPC server on loopback in front of a real one. A script sees each call of each request and may respond in the node's
 * place, change the node's response, or break the connection. All other calls reach the real chain.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { localServer } from "../local-server.ts";

export interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The script's reaction to a call. */
export type Fault =
  /** In place of the node's response. */
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  /** The node's own result, changed. */
  | { readonly change: (result: never) => unknown }
  /** The whole HTTP response, whatever else is in the batch. */
  | { readonly http: { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string } }
  /** There is never a response. */
  | { readonly hang: true }
  /** The true response, cut off after this many bytes. */
  | { readonly truncate: number }
  /** This many bytes of spaces before the true response. */
  | { readonly pad: number };

/** Asked for every call; undefined leaves it to the node. `request` counts HTTP requests from 1. */
// biome-ignore lint/suspicious/noConfusingVoidType: a script that only counts returns nothing
export type Script = (call: Call, request: number) => Fault | undefined | void;

export interface ScriptedRpc extends AsyncDisposable {
  readonly url: string;
  /** HTTP requests so far. */
  requests: number;
  /** Replaces the script. */
  script: Script;
  /** The node behind; another one may take its place. */
  target: string;
}

export async function scriptedRpc(target: string, script: Script = () => undefined): Promise<ScriptedRpc> {
  const { url, stop } = await localServer((request, response) => {
    answer(self, request, response).catch((error) => response.destroy(error));
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

interface Answer {
  id?: unknown;
  result?: unknown;
  error?: unknown;
}

async function answer(rpc: ScriptedRpc, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const number = ++rpc.requests;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body = JSON.parse(text) as Call | Call[];
  const calls = Array.isArray(body) ? body : [body];
  const faults = new Map(calls.map((call) => [call.id, rpc.script(call, number) ?? undefined]));
  const whole = [...faults.values()];
  if (whole.some((fault) => fault !== undefined && "hang" in fault)) return;
  const http = whole.find((fault) => fault !== undefined && "http" in fault);
  if (http !== undefined && "http" in http) {
    response.writeHead(http.http.status ?? 200, { "content-type": "application/json", ...http.http.headers });
    response.end(http.http.body ?? "");
    return;
  }
  const headers = { "content-type": "application/json" };
  const real = await fetch(rpc.target, { method: "POST", headers, body: text });
  const answers = (await real.json()) as Answer | Answer[];
  const changed = (Array.isArray(answers) ? answers : [answers]).map((one) => applied(one, faults.get(one.id)));
  const full = JSON.stringify(Array.isArray(answers) ? changed : changed[0]);
  response.writeHead(200, headers);
  const pad = whole.find((fault) => fault !== undefined && "pad" in fault);
  if (pad !== undefined && "pad" in pad) response.write(" ".repeat(pad.pad));
  const cut = whole.find((fault) => fault !== undefined && "truncate" in fault);
  response.end(cut !== undefined && "truncate" in cut ? full.slice(0, cut.truncate) : full);
}

function applied(one: Answer, fault: Fault | undefined): Answer {
  if (fault === undefined) return one;
  const { id } = one;
  const envelope = { jsonrpc: "2.0", id };
  if ("result" in fault) return { ...envelope, result: fault.result };
  if ("error" in fault) return { ...envelope, error: fault.error };
  if ("change" in fault && one.error === undefined) return { ...one, result: fault.change(one.result as never) };
  return one;
}

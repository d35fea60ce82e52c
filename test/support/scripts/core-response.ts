/** The response of the shim's core to a request: the reference for everything in front of it. */

import type { ShimContext } from "../../../src/shim/context.ts";
import { respond } from "../../../src/shim/respond.ts";
import type { OddRequest } from "./odd-requests.ts";
import type { ScriptResponse } from "./run-http-script.ts";

/** The headers by lower-case name. Repeated headers are joined with commas. */
export function headersOf({ headers }: Pick<OddRequest, "headers">): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const text = value.replace(/^[ \t]+|[ \t]+$/g, "");
    found[key] = found[key] === undefined ? text : `${found[key]}, ${text}`;
  }
  return found;
}

export async function coreResponse(request: OddRequest, context: ShimContext): Promise<ScriptResponse> {
  const { method, target } = request;
  const ifNoneMatch = headersOf(request)["if-none-match"];
  const { status, headers, body } = await respond({ method, url: target, ifNoneMatch }, context);
  return { status, headers, body: new TextDecoder().decode(body) };
}

/** Status, headers (without transport headers) and body as one comparable string. */
export function essence({ status, headers, body }: ScriptResponse, transport: readonly string[] = []): string {
  const own = Object.entries(headers).filter(([name]) => !transport.includes(name));
  return JSON.stringify([status, own.toSorted(([one], [other]) => (one < other ? -1 : 1)), body]);
}

/** A readable description of a request, for failure messages. */
export function written({ method, target, headers, body }: OddRequest): string {
  const short = (text: string) => (text.length > 120 ? `${text.slice(0, 60)}…(${text.length})` : text);
  const lines = headers.map(([name, value]) => `${name}: ${JSON.stringify(short(value))}`);
  return [`${method} ${short(target)}`, ...lines, ...(body === undefined ? [] : [body.header])].join(" | ");
}

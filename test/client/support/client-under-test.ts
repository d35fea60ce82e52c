/** A client with a clock that the test sets. */
import { type Client, clientOf } from "../../../src/client/client.ts";
import type { Fetch } from "../../../src/client/exchange.ts";
import { NoonmarkError } from "../../../src/client/noonmark-error.ts";
import { type SteppedRuntime, steppedRuntime, TIMEOUT } from "./stepped-runtime.ts";

export interface ClientUnderTest {
  readonly api: Client;
  readonly runtime: SteppedRuntime;
}

export interface ClientDependencies {
  readonly base?: string;
  readonly fetch?: Fetch;
  readonly retries?: number;
  readonly ownCache?: boolean;
  readonly random?: number;
}

export function clientUnderTest(dependencies: ClientDependencies): ClientUnderTest {
  const { base = "http://api.example", fetch: send = fetch, retries = 2 } = dependencies;
  const runtime = steppedRuntime(send, dependencies);
  return { api: clientOf({ base, timeout: TIMEOUT, retries }, runtime), runtime };
}

/** The fields of the error with which a call ends. */
export async function failure(call: Promise<unknown>): Promise<Pick<NoonmarkError, "code" | "status" | "retryAfter">> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof NoonmarkError)) throw error;
    const { code, status, retryAfter } = error;
    return { code, status, retryAfter };
  }
  throw new Error("the call did not fail");
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The targets: the shim on Node, the shim through Varnish and nginx, and the Worker on workerd. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { OddRequest } from "../../support/scripts/odd-requests.ts";
import type { ScriptResponse } from "../../support/scripts/run-http-script.ts";
import { putLiveWorld } from "../../support/world.ts";
import { startNginx } from "../nginx.ts";
import { startVarnish } from "../varnish.ts";
import { startWorker } from "../worker.ts";

export const TARGETS = ["node", "varnish", "nginx", "workerd"] as const;
export type TargetName = (typeof TARGETS)[number];

export interface HostileTarget {
  readonly port: number;
  /** True for requests that are not sent to this target. */
  isSkipped(request: OddRequest): boolean;
  /** True if it handles malformed HTTP itself. */
  readonly handlesMalformed: boolean;
  /** Its documented response to malformed HTTP, which is not the API's. */
  isOwn(response: ScriptResponse): boolean;
  /** True if it may close a connection silently on bytes that are not a request. */
  readonly mayCut: boolean;
  /** True if it may close a connection with an unread request body, so that the response is lost. */
  readonly mayCutBodies: boolean;
  stop(): Promise<void>;
}

export async function startTarget(name: TargetName): Promise<HostileTarget> {
  if (name === "workerd") return startWorkerd();
  const origins = await startOrigins();
  const none = {
    isSkipped: () => false,
    handlesMalformed: true,
    isOwn: () => false,
    mayCut: false,
    mayCutBodies: false,
  };
  const { bucketPort, shimPort, sharedPort } = origins;
  if (name === "node") return { ...none, ...NODE, port: shimPort, stop: origins.stop };
  const at = (port: number) => ({ host: "127.0.0.1", port });
  const start = name === "varnish" ? startVarnish : startNginx;
  const front = await start({
    bucket: { ...at(bucketPort), path: "/bucket/" },
    shim: at(shimPort),
    sharedShim: at(sharedPort),
  });
  return {
    ...none,
    ...(name === "varnish" ? VARNISH : NGINX),
    port: front.port,
    stop: async () => {
      await front.stop();
      await origins.stop();
    },
  };
}

/** Node's parser refuses malformed HTTP with a bare status, and closes a CONNECT (docs/spec/api.md#malformed-http). */
const NODE: Partial<HostileTarget> = {
  isOwn: ({ status, body }) => [400, 408, 417, 431].includes(status) && body === "",
  mayCut: true,
};

/** docs/cdn.md#varnish */
const VARNISH: Partial<HostileTarget> = {
  isSkipped: ({ method, body }) => method === "HEAD" && body !== undefined,
  isOwn: ({ status, body }) => (status === 400 || status === 417) && body === "",
  mayCut: true,
};

/** A connection whose request ended early (docs/cdn.md#nginx). */
const NGINX: Partial<HostileTarget> = { mayCut: true };

/**
 * Cloudflare's edge passes only well-formed HTTP without absolute targets to a Worker. The server workerd itself fails
 * on both, and knows only some methods. Its wrapper miniflare responds with 415 to a client that refuses `identity`.
 */
async function startWorkerd(): Promise<HostileTarget> {
  const { port, store, stop } = await startWorker();
  await putLiveWorld(store);
  return {
    port,
    isSkipped: ({ method, target, headers }) =>
      !/^(?:GET|HEAD|OPTIONS|POST|PUT)$/.test(method) ||
      !target.startsWith("/") ||
      headers.some(([name, value]) => /^upgrade$/i.test(name) || value === "identity;q=0"),
    handlesMalformed: false,
    isOwn: () => false,
    mayCut: false,
    mayCutBodies: true,
    stop,
  };
}

interface Origins {
  readonly bucketPort: number;
  readonly shimPort: number;
  readonly sharedPort: number;
  stop(): Promise<void>;
}

async function startOrigins(): Promise<Origins> {
  const child: ChildProcess = fork(join(import.meta.dirname, "origins-process.ts"));
  const [ports] = (await once(child, "message")) as [Omit<Origins, "stop">];
  return {
    ...ports,
    stop: async () => {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

/** Who is asked: the shim on Node, the same through Varnish and nginx, and the Worker on workerd. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { OddRequest } from "../../support/scripts/odd-requests.ts";
import type { ScriptAnswer } from "../../support/scripts/run-http-script.ts";
import { putWorld } from "../../support/world.ts";
import { startNginx } from "../nginx.ts";
import { startVarnish } from "../varnish.ts";
import { startWorker } from "../worker.ts";

export const TARGETS = ["node", "varnish", "nginx", "workerd"] as const;
export type TargetName = (typeof TARGETS)[number];

export interface HostileTarget {
  readonly port: number;
  /** Requests that it does not get. */
  leavesOut(request: OddRequest): boolean;
  /** It is the shim itself, which responds to a front in the fronts' language. */
  readonly hearsFronts: boolean;
  /** True if it handles malformed HTTP by itself. */
  readonly hearsMalformed: boolean;
  /** Its own response to malformed HTTP, before the API; its page names it. */
  isOwn(answer: ScriptAnswer): boolean;
  /** True if it may end a connection silently over bytes that are no request. */
  readonly mayCut: boolean;
  /** True if it may end a connection whose body it has not read, so that the response is lost on the way. */
  readonly mayCutBodies: boolean;
  stop(): Promise<void>;
}

export async function startTarget(name: TargetName): Promise<HostileTarget> {
  if (name === "workerd") return startWorkerd();
  const origins = await startOrigins();
  const none = {
    hearsFronts: false,
    leavesOut: () => false,
    hearsMalformed: true,
    isOwn: () => false,
    mayCut: false,
    mayCutBodies: false,
  };
  const { bucketPort, shimPort } = origins;
  if (name === "node") return { ...none, hearsFronts: true, port: shimPort, stop: origins.stop };
  const at = (port: number) => ({ protocol: "http", host: "127.0.0.1", port }) as const;
  const start = name === "varnish" ? startVarnish : startNginx;
  const front = await start({ bucket: { ...at(bucketPort), path: "/bucket/" }, shim: at(shimPort) });
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

/** docs/cdn-varnish.md#what-it-cannot-do */
const VARNISH: Partial<HostileTarget> = {
  leavesOut: ({ method, body }) => method === "HEAD" && body !== undefined,
  isOwn: ({ status, body }) => (status === 400 || status === 417) && body === "",
  mayCut: true,
};

/** A connection on which a request has ended early (docs/cdn-nginx.md#what-it-cannot-do). */
const NGINX: Partial<HostileTarget> = { mayCut: true };

/**
 * The edge in front of a Worker passes only well-formed HTTP without an absolute target. workerd itself fails at both and
 * knows only some methods. miniflare gives a client that refuses `identity` its own 415.
 */
async function startWorkerd(): Promise<HostileTarget> {
  const { port, store, stop } = await startWorker();
  await putWorld(store, Date.now());
  return {
    port,
    leavesOut: ({ method, target, headers }) =>
      !/^(?:GET|HEAD|OPTIONS|POST|PUT)$/.test(method) ||
      !target.startsWith("/") ||
      headers.some(([name, value]) => /^upgrade$/i.test(name) || value === "identity;q=0"),
    hearsMalformed: false,
    hearsFronts: false,
    isOwn: () => false,
    mayCut: false,
    mayCutBodies: true,
    stop,
  };
}

interface Origins {
  readonly bucketPort: number;
  readonly shimPort: number;
  stop(): Promise<void>;
}

async function startOrigins(): Promise<Origins> {
  const child: ChildProcess = fork(join(import.meta.dirname, "origins-process.ts"));
  const [ports] = (await once(child, "message")) as [{ bucketPort: number; shimPort: number }];
  return {
    ...ports,
    stop: async () => {
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}

/** Sends hostile requests from a seed to a target over several connections, and checks every response. */
import { faultsOf } from "../../support/hostile/judge.ts";
import { batchOf, type Malformed } from "../../support/hostile/requests.ts";
import { written } from "../../support/scripts/core-response.ts";
import type { OddRequest } from "../../support/scripts/odd-requests.ts";
import { sendRaw } from "../scenes/raw-request.ts";
import { type Outcome, pipelineAll, sendMalformed } from "./exchange.ts";
import type { HostileTarget } from "./targets.ts";

const CONCURRENCY = 16;
const PIPELINED = 8;
/** Number of requests per seed; further requests use the next seed. */
const BATCH = 2_000;
const MAX_FAULTS = 20;

export interface Attack {
  readonly requests: number;
  readonly seed: number;
}

export interface Report {
  requested: number;
  /** Maximum milliseconds from a connection's start to its last response. */
  slowest: number;
  /** Number of responses per status. `own` counts the front's own rejections, and `cut` cut connections. */
  readonly counts: Record<string, number>;
  /** With the seed of the batch. */
  readonly faults: string[];
}

export async function attack(
  target: HostileTarget,
  { requests, seed }: Attack,
  tell?: (report: Report) => void,
): Promise<Report> {
  const report: Report = { requested: 0, slowest: 0, counts: {}, faults: [] };
  for (let batch = 0; report.requested < requests && report.faults.length < MAX_FAULTS; batch++) {
    await attackWith(target, seed + batch, Math.min(BATCH, requests - report.requested), report);
    tell?.(report);
  }
  return report;
}

async function attackWith(target: HostileTarget, seed: number, requests: number, report: Report): Promise<void> {
  const { port } = target;
  const drawn = batchOf(seed, requests);
  const requested = drawn.odd.filter((request) => !target.isSkipped(request));
  const malformed = target.handlesMalformed ? drawn.malformed : [];
  const plain = requested.filter(({ body }) => body === undefined);
  const groups = Array.from({ length: Math.ceil(plain.length / PIPELINED) }, (_, index) =>
    plain.slice(index * PIPELINED, (index + 1) * PIPELINED),
  );
  const odd = (request: OddRequest, outcome: Outcome) =>
    count(
      {
        method: request.method,
        target: request.target,
        text: () => written(request),
        mayCut: request.body !== undefined && target.mayCutBodies,
      },
      outcome,
    );
  const work = [
    ...groups.map((group) => async () => {
      const outcomes = await pipelineAll(port, group);
      for (const [index, request] of group.entries()) odd(request, outcomes[index] ?? "cut");
    }),
    // The server would read the rest of a body as the connection's next request.
    ...requested
      .filter((request) => request.body !== undefined)
      .map((request) => async () => odd(request, await sendRaw({ port }, request).catch(() => "cut" as const))),
    ...malformed.map((request) => async () => {
      const [, requested] = /[!-~]+ ([!-~]+) http\//i.exec(request.bytes) ?? [];
      const fault = {
        method: request.method,
        ...(requested === undefined ? {} : { target: requested }),
        text: () => shown(request),
        mayCut: target.mayCut,
      };
      count(fault, await sendMalformed(port, request));
    }),
  ];
  const left = work.values();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const one of left) {
        const began = performance.now();
        await one();
        report.slowest = Math.max(report.slowest, Math.ceil(performance.now() - began));
      }
    }),
  );
  report.requested += requested.length + malformed.length;

  function count(
    requested: { method: string; target?: string; mayCut: boolean; text(): string },
    outcome: Outcome,
  ): void {
    const isResponse = typeof outcome === "object";
    const isOwn = isResponse && target.isOwn(outcome);
    const name = isOwn ? "own" : isResponse ? String(outcome.status) : outcome;
    report.counts[name] = (report.counts[name] ?? 0) + 1;
    const faults =
      isOwn || (outcome === "cut" && requested.mayCut) ? [] : isResponse ? faultsOf(requested, outcome) : [outcome];
    if (faults.length > 0) report.faults.push(`seed ${seed}: ${requested.text()}: ${faults.join("; ")}`);
  }
}

function shown({ bytes }: Malformed): string {
  return JSON.stringify(bytes.length > 600 ? `${bytes.slice(0, 300)}…${bytes.slice(-300)}` : bytes);
}

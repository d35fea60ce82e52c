/** Logs the chain's events: a failing node is one warning, then one every ten minutes, until it works again. */
import type { Logger } from "pino";
import { type PollEvent, plainEvent } from "../../../src/chain/poll-event.ts";

/** Between two warnings of the same kind about the same node (ms). */
const WARNED_EVERY_MS = 600_000;

interface Trouble {
  /** By the monotonic clock (ms). */
  readonly since: number;
  readonly warnedAt: number;
  /** Failures since the last warning. */
  readonly silent: number;
}

/** Good passes and stored ranges come every few seconds, so they are for debugging. */
export function chainLog(log: Logger, monotonic: () => number): (event: PollEvent) => void {
  /** By node, then by its fault. */
  const troubles = new Map<string, Map<string, Trouble>>();
  return (event) => {
    const ofNode = troubles.get(event.node);
    if (event.type === "range" || event.type === "good") {
      log.debug(plainEvent(event), "chain");
      if (event.type === "range" || ofNode === undefined) return;
      // A good pass without new blocks says nothing about a node that disagreed.
      const over = [...ofNode].filter(([kind]) => kind !== "disagreement");
      if (over.length === 0) return;
      for (const [kind] of over) ofNode.delete(kind);
      const since = Math.min(...over.map(([, trouble]) => trouble.since));
      log.info({ node: event.node, afterMs: Math.round(monotonic() - since) }, "the node gives good responses again");
      return;
    }
    const kind = "check" in event ? `${event.type} ${event.check}` : event.type;
    const before = ofNode?.get(kind);
    const now = monotonic();
    const isDue = before === undefined || now - before.warnedAt >= WARNED_EVERY_MS;
    const trouble = isDue
      ? { since: before?.since ?? now, warnedAt: now, silent: 0 }
      : { ...before, silent: before.silent + 1 };
    troubles.set(event.node, (ofNode ?? new Map<string, Trouble>()).set(kind, trouble));
    log[isDue ? "warn" : "debug"]({ ...plainEvent(event), before: before?.silent ?? 0 }, "chain");
  };
}

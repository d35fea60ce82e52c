import type { Known } from "../../../publish/known.ts";
import type { PublisherMonitor } from "../publish/publisher-monitor.ts";

/** The values that a publisher's metrics are read from. */
export interface WatchedPublisher {
  readonly monitor: PublisherMonitor;
  readonly known: Known;
  /** Epoch ms, by the publishers' common clock. */
  now(): number;
  monotonic(): number;
}

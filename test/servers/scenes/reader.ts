/** One reader of one front, who asks all the time and notices whatever is older than what he was given before. */
import type { Front } from "../front.ts";

interface Receipt {
  readonly receivedAt: string | null;
}

/** A number of the facts that a reader sees, which must never fall. */
const PLACES: Readonly<Record<string, (body: unknown) => number>> = {
  "/v1/public/telemetry": (body) => instantOf(body as Receipt),
  "/v1/public/installations/wheel-1/telemetry": (body) => instantOf(body as Receipt),
  "/v4/public/process": (body) => instantOf((body as { measurement: Receipt }).measurement),
  "/v1/public/installations/wheel-1/observations?limit=100": (body) => (body as { items: unknown[] }).items.length,
};

const MOST_COMPLAINTS = 3;
/** Leaves the machine to others; far below any edge second. */
const BETWEEN_ROUNDS_MS = 25;

export interface Reader {
  /** Responses that were older than an earlier one, or missing. */
  readonly complaints: readonly string[];
  /** The newest that each place has shown, in the order of the places. */
  newest(): readonly number[];
  stop(): Promise<void>;
}

export function startReader({ hostname, port }: Front): Reader {
  const complaints: string[] = [];
  const newest = new Map(Object.keys(PLACES).map((place) => [place, Number.NEGATIVE_INFINITY]));
  const stop = new AbortController();
  const read = async () => {
    while (!stop.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_ROUNDS_MS));
      for (const [place, measure] of Object.entries(PLACES)) {
        const answer = await fetch(`http://${hostname}:${port}${place}`);
        const text = await answer.text();
        const before = newest.get(place) ?? Number.NEGATIVE_INFINITY;
        const seen = answer.status === 200 ? measure(JSON.parse(text)) : Number.NaN;
        if (seen >= before) newest.set(place, seen);
        else if (complaints.length < MOST_COMPLAINTS)
          complaints.push(`${place}: ${answer.status} ${text} after ${before}`);
      }
    }
  };
  const ended = read().catch((error: unknown) => void complaints.push(String(error)));
  return {
    complaints,
    newest: () => [...newest.values()],
    async stop() {
      stop.abort();
      await ended;
    },
  };
}

/** Epoch ms; -1 where there is no receipt yet. */
function instantOf({ receivedAt }: Receipt): number {
  return receivedAt === null ? -1 : Date.parse(receivedAt);
}

/**
 * The answers of both settlement routes (read-api.md 4.7, 4.9): a live body, the same body as saved history, or the
 * reason alone. The tag is a hash of the body without generatedAt, of the source and of the fallback reason.
 */
import type { z } from "zod";
import type { ChainUnavailable } from "../../chain/chain-state.ts";
import { FALLBACK_REASON_HEADER, REVALIDATE, SOURCE_HEADER } from "../../http/common-headers.ts";
import { etagOf } from "../../http/representation.ts";
import type { Built } from "../built.ts";
import { revisionOf } from "../revision.ts";

type Source = "live" | "durable-cache" | "unavailable";

/**
 * `body` has passed its schema. From `until` on (epoch ms) it is saved history: nobody has confirmed it since, and a
 * queue projection is no part of that.
 */
export function liveAnswer(body: Readonly<Record<string, unknown>>, until: number): Built {
  return {
    ...answer(body, "live"),
    nextChangeAt: until,
    successor: answer(withoutQueue(body), "durable-cache", "indexer_unavailable"),
  };
}

/** What is saved of a live body, or read back from a published one. */
export function withoutQueue(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { queueProjection: _, ...saved } = body;
  return saved;
}

/** `undefined` where the text does not pass the schema: then it is no acceptable saved response. */
export function durableAnswer(saved: string, schema: z.ZodType, reason: ChainUnavailable): Built | undefined {
  const parsed = schema.safeParse(parseJson(saved));
  if (!parsed.success) return undefined;
  const body = parsed.data as Readonly<Record<string, unknown>>;
  return body.status === "available" ? answer(body, "durable-cache", reason) : undefined;
}

export function unavailableAnswer(body: Readonly<Record<string, unknown>>): Built {
  return answer(body, "unavailable");
}

function answer(body: Readonly<Record<string, unknown>>, source: Source, reason?: ChainUnavailable): Built {
  const { generatedAt: _, ...lasting } = body;
  const identity = JSON.stringify(lasting);
  return {
    status: 200,
    headers: {
      "cache-control": REVALIDATE,
      etag: etagOf(revisionOf(JSON.stringify([source, reason ?? null, identity]))),
      [SOURCE_HEADER]: source,
      ...(reason === undefined ? {} : { [FALLBACK_REASON_HEADER]: reason }),
    },
    body: JSON.stringify(body),
    identity,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

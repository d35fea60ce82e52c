/**
 * The responses of both settlement routes (docs/spec/api.md#settlements-source): a live body, the same body as saved history,
 * or the reason alone. The tag is a hash of the body without generatedAt, of the source and of the fallback reason.
 */
import type * as z from "zod";
import type { ChainUnavailable } from "../../chain/chain-state.ts";
import { FALLBACK_REASON_HEADER, REVALIDATE, SOURCE_HEADER } from "../../http/common-headers.ts";
import { etagOf } from "../../http/representation.ts";
import type { Built } from "../built.ts";
import { revisionOf } from "../revision.ts";

type Body = Readonly<Record<string, unknown>>;
type Source = "live" | "durable-cache" | "unavailable";

/**
 * `body` has passed its schema. From `until` on (epoch ms) it is saved history: nobody has confirmed it since, and a
 * queue projection is no part of that.
 */
export function liveAnswer(body: Body, until: number): Built {
  const live = textsOf(body);
  const saved = "queueProjection" in body ? textsOf(withoutQueue(body)) : live;
  return {
    ...answer(live, "live"),
    nextChangeAt: until,
    successor: answer(saved, "durable-cache", "indexer_unavailable"),
  };
}

/** The saved part of a live body, or of a published one that was read back. */
export function withoutQueue(body: Body): Body {
  const { queueProjection: _, ...saved } = body;
  return saved;
}

/** `undefined` where the text does not pass the schema: then it is no acceptable saved response. */
export function durableAnswer(saved: string, schema: z.ZodType, reason: ChainUnavailable): Built | undefined {
  const parsed = schema.safeParse(parseJson(saved));
  if (!parsed.success) return undefined;
  const body = parsed.data as Body;
  return body.status === "available" ? answer(textsOf(body), "durable-cache", reason) : undefined;
}

export function unavailableAnswer(body: Body): Built {
  return answer(textsOf(body), "unavailable");
}

/** The body, and what has to differ for it to be another revision. */
function textsOf(body: Body): { readonly body: string; readonly identity: string } {
  const { generatedAt: _, ...lasting } = body;
  return { body: JSON.stringify(body), identity: JSON.stringify(lasting) };
}

function answer({ body, identity }: ReturnType<typeof textsOf>, source: Source, reason?: ChainUnavailable): Built {
  return {
    status: 200,
    headers: {
      "cache-control": REVALIDATE,
      etag: etagOf(revisionOf(JSON.stringify([source, reason ?? null, identity]))),
      [SOURCE_HEADER]: source,
      ...(reason === undefined ? {} : { [FALLBACK_REASON_HEADER]: reason }),
    },
    body,
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

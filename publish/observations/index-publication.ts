/** The index as a session publishes it: a changed `installationId` is named once its own answers are there. */

import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import {
  indexShardPublication,
  shardedIndexPublication,
  wholeIndexPublication,
} from "../../src/resources/observations/publication.ts";
import type { Publication } from "../../src/resources/publication.ts";
import { telemetryPublication } from "../../src/resources/telemetry/publication.ts";
import { shortHash } from "../asof/vector.ts";
import type { Published } from "../state/published.ts";
import type { Histories } from "./histories.ts";
import type { IndexPart } from "./index-part.ts";

export interface Indexed {
  readonly histories: Histories;
  readonly published: Pick<Published, "get">;
  /** Of the configured installation, telemetry aside. */
  readonly publications: readonly Publication[];
}

/** The object that a reader reads first: with all names, or with the number of shards. */
export function indexPublication(indexed: Indexed, configured: string): Publication {
  const { index } = indexed.histories;
  const named = namedConfigured(indexed, configured);
  if (index.shards !== undefined) return shardedIndexPublication(named, index.shards);
  const [whole] = index.parts();
  const publication = wholeIndexPublication(named, whole?.names ?? new Map());
  // So that it is not written out to be compared.
  return { ...publication, inputs: () => `${named} ${whole?.revision}` };
}

export function shardPublication({ key, names, revision }: IndexPart): Publication {
  return { ...indexShardPublication(key, names), inputs: () => String(revision) };
}

/** Shards of which the store does not have all names; with `all` every one. */
export function shardsToPut({ index }: Histories, all: boolean): IndexPart[] {
  return index.parts().filter(({ key, isChanged }) => key !== INSTALLATIONS_KEY && (isChanged || all));
}

function namedConfigured({ histories, published, publications }: Indexed, configured: string): string {
  const before = histories.index.configuredBefore;
  const own = shortHash(configured);
  const answers = [telemetryPublication(configured, true), ...publications];
  const isElsewhere = ({ key, kinds = [], usesChain = false }: Publication) => {
    if (kinds.length === 0 && !usesChain) return false;
    const asof = published.get(key)?.asof;
    return asof !== undefined && asof.of !== own;
  };
  return before !== undefined && before !== configured && answers.some(isElsewhere) ? before : configured;
}

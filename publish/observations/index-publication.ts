/** The index as a session publishes it: a changed `installationId` is named once its own answers are there. */
import { installationsPublication } from "../../src/resources/observations/publication.ts";
import type { Publication } from "../../src/resources/publication.ts";
import { telemetryPublication } from "../../src/resources/telemetry/publication.ts";
import { shortHash } from "../asof/vector.ts";
import type { Published } from "../state/published.ts";
import type { Histories } from "./histories.ts";

export interface Indexed {
  readonly histories: Histories;
  readonly published: Pick<Published, "get">;
  /** Of the configured installation, telemetry aside. */
  readonly publications: readonly Publication[];
}

export function indexPublication({ histories, published, publications }: Indexed, configured: string): Publication {
  const before = histories.configuredBefore;
  const own = shortHash(configured);
  const answers = [telemetryPublication(configured, true), ...publications];
  const isElsewhere = ({ key, kinds = [], usesChain = false }: Publication) => {
    if (kinds.length === 0 && !usesChain) return false;
    const asof = published.get(key)?.asof;
    return asof !== undefined && asof.of !== own;
  };
  const named = before !== undefined && before !== configured && answers.some(isElsewhere) ? before : configured;
  return { ...installationsPublication(named, histories.names), inputs: () => `${named} ${histories.revision}` };
}

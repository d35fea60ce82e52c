/** The index as a session publishes it: a changed `installationId` is named once its own answers are there. */
import { installationsPublication } from "../../src/resources/observations/publication.ts";
import type { Publication } from "../../src/resources/publication.ts";
import { telemetryPublication } from "../../src/resources/telemetry/publication.ts";
import { shortHash } from "../asof/vector.ts";
import type { Session } from "../cycle/session.ts";

export function indexPublication({ histories, published, publications }: Session, configured: string): Publication {
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

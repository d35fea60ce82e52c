/** Every answer of the configured installation, telemetry aside, in the order in which a cycle builds them. */
import type { Publication } from "../answers/publication.ts";
import { activityPublications } from "./activity.ts";
import { modulesPublication } from "./measurement.ts";
import { onchainPublications } from "./onchain.ts";
import { processPublication } from "./process.ts";
import { legacySettlementsPublications, settlementsPublications } from "./settlements.ts";
import { statisticsPublications } from "./statistics.ts";

export interface PublicationSettings {
  readonly installationId: string;
  /** Least time between two computations of one statistics range, ms. */
  readonly statisticsInterval: number;
}

export function allPublications(settings: PublicationSettings): Publication[] {
  return [
    modulesPublication(settings.installationId),
    processPublication,
    ...statisticsPublications(settings.statisticsInterval),
    ...onchainPublications,
    ...settlementsPublications,
    ...legacySettlementsPublications,
    ...activityPublications,
  ];
}

/**
 * Every answer of the configured installation, telemetry aside, and every file, in the order in which a cycle builds
 * them.
 */
import { activityPublications } from "./activity/publication.ts";
import { feedPublications } from "./feed/publication.ts";
import { modulesPublication } from "./modules/publication.ts";
import { onchainPublications } from "./onchain/publication.ts";
import { processPublication } from "./process/publication.ts";
import type { Publication } from "./publication.ts";
import { settlementsPublications } from "./settlements/publication.ts";
import { legacySettlementsPublications } from "./settlements-legacy/publication.ts";
import { sitePublications } from "./site/publication.ts";
import type { Site } from "./site/site-files.ts";
import { statisticsPublications } from "./statistics/publication.ts";

export interface PublicationSettings {
  readonly installationId: string;
  /** Least time between two computations of one statistics range, ms. */
  readonly statisticsInterval: number;
  /** What is published beside the API; undefined with the site turned off. */
  readonly site?: Site | undefined;
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
    ...(settings.site === undefined ? [] : [...sitePublications(settings.site), ...feedPublications(settings.site)]),
  ];
}

/** Lists every publication of the configured installation except telemetry, observations and the log, and every file. */
import { activityPublications } from "./activity/publication.ts";
import { modulesPublication } from "./modules/publication.ts";
import { onchainPublications } from "./onchain/publication.ts";
import { processPublication } from "./process/publication.ts";
import type { Publication } from "./publication.ts";
import { settlementsPublications } from "./settlements/publication.ts";
import { legacySettlementsPublications } from "./settlements-legacy/publication.ts";
import { sitePublications } from "./site/publication.ts";
import type { Site } from "./site/site-files.ts";
import { statisticsPublications } from "./statistics/publication.ts";
import type { ResourceName } from "./table.ts";

export interface PublicationSettings {
  readonly installationId: string;
  /** Minimum time (ms) between two computations of one statistics range. */
  readonly statisticsInterval: number;
  /** The files next to the API; undefined if the site is disabled. */
  readonly site?: Site | undefined;
}

/**
 * Publications by resource, in the order in which a cycle renders them. TypeScript reports a missing resource. The
 * cycle adds telemetry and the tiles of observations, which every installation has, and the log.
 */
const PUBLICATIONS: Readonly<Record<ResourceName, (settings: PublicationSettings) => readonly Publication[]>> = {
  telemetry: () => [],
  observations: () => [],
  log: () => [],
  modules: ({ installationId }) => [modulesPublication(installationId)],
  process: () => [processPublication],
  statistics: ({ statisticsInterval }) => statisticsPublications(statisticsInterval),
  onchain: () => onchainPublications,
  settlements: () => settlementsPublications,
  "settlements-legacy": () => legacySettlementsPublications,
  activity: () => activityPublications,
  site: ({ site }) => (site === undefined ? [] : sitePublications(site)),
  // The shim makes it from the head.
  "publication-status": () => [],
};

export function allPublications(settings: PublicationSettings): Publication[] {
  return Object.values(PUBLICATIONS).flatMap((publicationsOf) => publicationsOf(settings));
}

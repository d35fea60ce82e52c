/** From settings and flags to a publisher's options. */

import type { Clock } from "../../../publish/clock/clock.ts";
import type { PublisherOptions } from "../../../publish/publisher.ts";
import type { SourceReader } from "../../../publish/sources/source-reader.ts";
import { packageVersion } from "../../../src/files/package-file.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { allPublications } from "../../../src/resources/publications.ts";
import type { ResourceName } from "../../../src/resources/table.ts";
import { required } from "../settings/load-settings.ts";
import type { Settings } from "../settings/settings.ts";
import { configuredSite } from "../site.ts";

export interface PublishFlags {
  /** The configuration file, which need not exist. */
  readonly config?: string;
  readonly only?: ReadonlySet<ResourceName>;
  readonly force?: boolean;
  readonly newHistory?: readonly string[];
}

/** Puts in flight at once. */
const CONCURRENCY = 16;

export function publisherOptions(
  settings: Settings,
  flags: PublishFlags,
  opened: {
    readonly store: ObjectStore;
    readonly reader: SourceReader;
    readonly minimumPutInterval: number;
    readonly scrubInterval: number;
    readonly clock: Clock;
  },
): Omit<PublisherOptions, "known"> {
  const { only } = flags;
  const site = configuredSite(settings);
  return {
    ...opened,
    publications: allPublications({
      installationId: required(settings, "installationId"),
      statisticsInterval: settings.statisticsInterval * 1000,
      site,
    }),
    site: site && { explorerUrl: settings.explorerUrl, chainValidity: settings.chainMaxAge * 1000 },
    selected: (resource) => only === undefined || only.has(resource),
    concurrency: CONCURRENCY,
    newHistories: flags.newHistory ?? [],
    force: flags.force ?? false,
    program: packageVersion(),
  };
}

/** Derives a publisher's options from settings and flags, with the built files of the page and the reference. */

import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import type { WatchedClock } from "../../../publish/clock/clock.ts";
import type { Candidate } from "../../../publish/head/take.ts";
import type { PublisherOptions } from "../../../publish/publisher.ts";
import type { SourceReader } from "../../../publish/sources/source-reader.ts";
import type { StateDirectory } from "../../../publish/state-directory.ts";
import { packageFile, packageVersion } from "../../../src/files/package-file.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { allPublications } from "../../../src/resources/publications.ts";
import { ROBOTS, type Site, type SiteFile } from "../../../src/resources/site/site-files.ts";
import { readLogKey } from "../log-key.ts";
import { required } from "../settings/load-settings.ts";
import type { Settings } from "../settings/settings.ts";
import { hasChain } from "../sources.ts";

export interface PublishFlags {
  /** The configuration file, which may be missing. */
  readonly config?: string;
  readonly force?: boolean;
  readonly newHead?: boolean;
  readonly acceptClock?: boolean;
  readonly acceptChain?: boolean;
  readonly allowUnknown?: boolean;
  readonly publishLog?: boolean;
}

/**
 * Two bodies of one range are at least this far apart, because their figures change with each round, and a put costs
 * money.
 */
const STATISTICS_INTERVAL_MS = 30_000;

/** The maximum number of concurrent puts. */
const CONCURRENCY = 16;

/** Returns the options of a single run, which puts immediately. */
export function publisherOptions(
  settings: Settings,
  flags: PublishFlags,
  opened: {
    readonly store: ObjectStore;
    readonly reader: SourceReader;
    readonly clock: WatchedClock;
    readonly state: StateDirectory;
  },
): PublisherOptions {
  const site = configuredSite(settings);
  return {
    ...opened,
    minimumPutInterval: 0,
    swapInterval: 0,
    publications: allPublications({
      installationId: required(settings, "installationId"),
      statisticsInterval: STATISTICS_INTERVAL_MS,
      site,
    }),
    chainValidity: settings.chainMaxAge * 1000,
    concurrency: CONCURRENCY,
    signers: settings.logKey === undefined ? [] : readLogKey(settings.logKey),
    force: flags.force ?? false,
    program: packageVersion(),
  };
}

/** Returns what a publisher with these options needs to take the head. */
export function candidateOf(
  { store, clock, state, reader, signers, program }: PublisherOptions,
  flags: PublishFlags,
): Candidate {
  const { installationId } = reader;
  return { store, clock, state, installationId, signers, program, holder: randomUUID(), opens: flags };
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

/** Returns the site; undefined if the settings disable it. */
function configuredSite(settings: Settings): Site | undefined {
  const { site, chainMaxAge } = settings;
  if (!site) return undefined;
  return {
    program: packageVersion(),
    // It was validated when the chain was opened.
    deployment: hasChain(settings) ? JSON.parse(readFileSync(settings.deployment, "utf8")) : null,
    chainMaxAge: chainMaxAge * 1000,
    files: [ROBOTS, ...builtFiles()],
  };
}

/** Returns the built files; none in a checkout that was not built. */
function builtFiles(): SiteFile[] {
  const root = packageFile("dist/site");
  if (!existsSync(root)) return [];
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return found
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) => ({
      path: relative(root, file).split(sep).join("/"),
      contentType: TYPES[extname(file)] ?? "application/octet-stream",
      text: readFileSync(file, "utf8"),
    }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

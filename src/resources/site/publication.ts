/**
 * Publishes the files that the package was built with (docs/spec/people.md#files). They are put when their bytes
 * change, that is, after an upgrade. The assets of a page are put before the page.
 */
import { type FileRow, NO_CACHE } from "../../http/route.ts";
import { type Built, revisionOf } from "../built.ts";
import type { ImmutableTile, Publication } from "../publication.ts";
import type { Snapshot } from "../snapshot.ts";
import {
  ASSETS_PREFIX,
  assetFile,
  deploymentFile,
  docsFile,
  faviconFile,
  openapiFile,
  pageFile,
  robotsFile,
  SITE_PREFIX,
} from "./route.ts";
import type { Site, SiteFile } from "./site-files.ts";

const ROWS = [pageFile, docsFile, openapiFile, robotsFile, faviconFile] as const;

/** Milliseconds to keep an asset after no page names it, because a reader may still have an older page. */
export const ASSET_KEPT_MS = 30 * 86_400_000;

/** Returns a publication for each row that has a file, and for the deployment. Paths of other rows are 404. */
export function sitePublications(site: Site): Publication[] {
  const { program, files } = site;
  // Page and reference share a prefix, so each names all assets: otherwise one would delete the other's.
  const everyAsset = files.filter(({ path }) => isAsset(path)).map(immutableAsset);
  const allAssets = everyAsset.map(({ key }) => key).join(" ");
  const byKey = new Map(files.map((file) => [SITE_PREFIX + file.path, file]));
  const fromFiles = ROWS.flatMap((row): Publication[] => {
    const [{ key }] = row.objects;
    const file = byKey.get(key);
    if (file === undefined) return [];
    const built = renderFile(row, file.text);
    const loads = files.some(({ path }) => isAsset(path) && file.text.includes(path));
    return [
      {
        resource: row.resource,
        key,
        sources: { installationId: null, program },
        inputs: () => built.fingerprintText,
        ...(loads && {
          tileSet: {
            prefix: ASSETS_PREFIX,
            keptMs: ASSET_KEPT_MS,
            version: () => allAssets,
            tiles: () => [everyAsset],
          },
        }),
        build: () => built,
      },
    ];
  });
  return [...fromFiles, deploymentPublication(site)];
}

/** The data that a program needs to compute the responses again (docs/spec/people.md#deployment-json). */
function deploymentPublication({ program, deployment, chainMaxAge }: Site): Publication {
  const textOf = ({ installationId, genesisTimestamp: genesis }: Snapshot) => {
    const genesisTimestamp = genesis === undefined ? null : Number(genesis);
    return JSON.stringify({ schemaVersion: 1, installationId, genesisTimestamp, deployment, chainMaxAge });
  };
  return {
    resource: deploymentFile.resource,
    key: deploymentFile.objects[0].key,
    sources: { installationId: null, program },
    inputs: textOf,
    build: (snapshot) => ({
      ...renderFile(deploymentFile, textOf(snapshot)),
      // The chain may be silent. What it said before stays published.
      isPlaceholder: deployment !== null && snapshot.genesisTimestamp === undefined,
    }),
  };
}

/** Returns the response of a file; `contentType` defaults to the row's. */
function renderFile(row: FileRow, text: string, contentType = row.contentType): Built {
  const etag = `"${revisionOf(text)}"`;
  return {
    status: 200,
    headers: { etag, "cache-control": row.cacheControl ?? NO_CACHE, ...row.headers },
    ...(contentType === null ? {} : { contentType }),
    body: text,
    fingerprintText: etag,
  };
}

function isAsset(path: string): boolean {
  return (SITE_PREFIX + path).startsWith(ASSETS_PREFIX);
}

function immutableAsset({ path, contentType, text }: SiteFile): ImmutableTile {
  return {
    key: SITE_PREFIX + path,
    representation: renderFile(assetFile, text, contentType),
    body: () => text,
  };
}

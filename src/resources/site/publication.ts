/**
 * The files that the package was built with (docs/spec/people.md#files), each put when its bytes change: after an
 * upgrade. What a page loads is put before the page.
 */
import { NO_CACHE } from "../../http/files.ts";
import type { FileRow } from "../../http/route.ts";
import type { Built } from "../built.ts";
import type { ImmutableTile, Publication } from "../publication.ts";
import { revisionOf } from "../revision.ts";
import {
  ASSETS_PREFIX,
  assetFile,
  docsFile,
  faviconFile,
  openapiFile,
  pageFile,
  robotsFile,
  SITE_PREFIX,
} from "./route.ts";
import type { Site, SiteFile } from "./site-files.ts";

const ROWS = [pageFile, docsFile, openapiFile, robotsFile, faviconFile] as const;

/** Of a site without a file for a row, that row has no publication, and its path is 404. */
export function sitePublications({ program, files }: Site): Publication[] {
  const byKey = new Map(files.map((file) => [SITE_PREFIX + file.path, file]));
  return ROWS.flatMap((row): Publication[] => {
    const [{ key }] = row.objects;
    const file = byKey.get(key);
    if (file === undefined) return [];
    const built = fileAnswer(row, file.text);
    const assets = files.filter(({ path }) => isAsset(path) && file.text.includes(path)).map(immutableAsset);
    return [
      {
        resource: row.resource,
        key,
        installationId: null,
        program,
        inputs: () => built.identity,
        tiles: () => [assets],
        build: () => built,
      },
    ];
  });
}

/** Of the row's own type. */
export function fileAnswer(row: FileRow, text: string, contentType = row.contentType): Built {
  const etag = `"${revisionOf(text)}"`;
  return {
    status: 200,
    headers: { etag, "cache-control": row.cacheControl ?? NO_CACHE, ...row.headers },
    ...(contentType === null ? {} : { contentType }),
    body: text,
    identity: etag,
  };
}

function isAsset(path: string): boolean {
  return (SITE_PREFIX + path).startsWith(ASSETS_PREFIX);
}

function immutableAsset({ path, contentType, text }: SiteFile): ImmutableTile {
  return {
    key: SITE_PREFIX + path,
    answer: fileAnswer(assetFile, text, contentType),
    body: () => text,
    stored: () => {},
  };
}

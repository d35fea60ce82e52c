/** The built files beside the API. */

/** A file of the site; its text is UTF-8. */
export interface SiteFile {
  /** Below `/`, without a first slash; `index.html` is the page at `/`. */
  readonly path: string;
  readonly contentType: string;
  readonly text: string;
}

export interface Site {
  /** The version of the program that built the files. An older version's files never replace a newer one's. */
  readonly program: string;
  readonly files: readonly SiteFile[];
  /** The address that readers use, without a trailing slash; undefined if it is not set. */
  readonly publicUrl: string | undefined;
}

/** Crawlers may read everything. */
export const ROBOTS: SiteFile = {
  path: "robots.txt",
  contentType: "text/plain; charset=utf-8",
  text: "User-agent: *\nAllow: /\n",
};

/** The built files that are published next to the API. */

/** A file of the site, in UTF-8. */
export interface SiteFile {
  /** Relative to `/`, without a leading slash; `index.html` is the page at `/`. */
  readonly path: string;
  readonly contentType: string;
  readonly text: string;
}

export interface Site {
  /** The version of the program that built the files. An older version never replaces a newer one's files. */
  readonly program: string;
  readonly files: readonly SiteFile[];
  /** The content of the operator's deployment file; null without a chain. */
  readonly deployment: unknown;
  /** How long a chain view is valid after a good pass, ms. */
  readonly chainMaxAge: number;
}

/** Allows crawlers to read everything. */
export const ROBOTS: SiteFile = {
  path: "robots.txt",
  contentType: "text/plain; charset=utf-8",
  text: "User-agent: *\nAllow: /\n",
};

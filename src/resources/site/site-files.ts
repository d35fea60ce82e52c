/** The files beside the API: those that the package was built with, in their order, with their types. */

/** A file of the site; its text is UTF-8. */
export interface SiteFile {
  /** Below `/`, without a first slash; `index.html` is the page at `/`. */
  readonly path: string;
  readonly contentType: string;
  readonly text: string;
}

export interface Site {
  /** The version of the program that made the files: an older one's never replace a newer one's. */
  readonly program: string;
  readonly files: readonly SiteFile[];
  /** The address that readers use, without a slash at its end; undefined where nobody has said. */
  readonly publicUrl: string | undefined;
}

/** For crawlers: everything here is public. */
export const ROBOTS: SiteFile = {
  path: "robots.txt",
  contentType: "text/plain; charset=utf-8",
  text: "User-agent: *\nAllow: /\n",
};

/** Where a front finds its two origins. */
export interface CdnOptions {
  readonly bucket: Origin & {
    /** Before an object's key, with a slash at both ends: `/bucket/prefix/`, or `/prefix/` where the host names the bucket. */
    readonly path: string;
  };
  readonly shim: Origin;
  /** Where nginx listens, as its directive says it. */
  readonly listen: string;
  /** A socket in the file system between nginx's script and its cache. */
  readonly socket: string;
}

export interface Origin {
  readonly host: string;
  readonly port: number;
}

/** What the checked-in files say: a bucket's gateway and a shim on the front's own machine. */
export const DEFAULT_OPTIONS: CdnOptions = {
  bucket: { host: "127.0.0.1", port: 8080, path: "/noonmark/public/" },
  shim: { host: "127.0.0.1", port: 8787 },
  listen: "127.0.0.1:8081",
  socket: "/run/noonmark-cache.sock",
};

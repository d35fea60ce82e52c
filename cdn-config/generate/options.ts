/** The addresses of a front's two origins, and its other options. */
export interface CdnOptions {
  readonly bucket: Origin & {
    /**
     * Prefix of an object's key in the URL, with outer slashes: `/bucket/prefix/`, or `/prefix/` if the host has the
     * bucket.
     */
    readonly path: string;
  };
  readonly shim: Origin;
  /** Absolute path of the directory from which nginx loads the files; undefined for the directory of nginx.conf. */
  readonly directory?: string | undefined;
  /** The address that nginx listens on, in the syntax of its `listen` directive. */
  readonly listen: string;
  /** Path of a Unix socket between nginx's script and its cache. */
  readonly socket: string;
  /** Directory of nginx's cache of origin responses. The suffix `-responses` gives that of client responses. */
  readonly cache: string;
  /** A CA file that nginx trusts for https origins. */
  readonly trusted: string;
  /** The secret that a shim with the setting `fronts` requires; undefined if the shim trusts any front. */
  readonly frontSecret?: string | undefined;
  /** True if nginx has the brotli filter; it is then preferred to gzip. */
  readonly brotli?: boolean | undefined;
}

export interface Origin {
  readonly protocol: "http" | "https";
  readonly host: string;
  readonly port: number;
}

/** Minimum size (bytes) of a body that fronts compress. */
export const COMPRESSED_FROM = 1024;

const PORTS = { http: 80, https: 443 } as const;

/** Takes an absolute http or https URL. */
export function originOf({ protocol, hostname, port }: URL): Origin {
  const scheme = protocol === "https:" ? "https" : "http";
  return { protocol: scheme, host: hostname, port: Number(port) || PORTS[scheme] };
}

/** Returns the Host header for requests to the origin. */
export function hostOf({ protocol, host, port }: Origin): string {
  return port === PORTS[protocol] ? host : `${host}:${port}`;
}

/** The options of the checked-in files: a local S3 gateway and a local shim. */
export const DEFAULT_OPTIONS: CdnOptions = {
  bucket: { protocol: "http", host: "127.0.0.1", port: 8080, path: "/noonmark/public/" },
  shim: { protocol: "http", host: "127.0.0.1", port: 8787 },
  listen: "127.0.0.1:8081",
  socket: "/run/noonmark-cache.sock",
  cache: "/var/cache/nginx-noonmark",
  trusted: "/etc/ssl/certs/ca-certificates.crt",
};

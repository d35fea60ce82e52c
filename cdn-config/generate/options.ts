/** Where a front finds its two origins. */
export interface CdnOptions {
  readonly bucket: Origin & {
    /** Before an object's key, with a slash at both ends: `/bucket/prefix/`, or `/prefix/` where the host names the bucket. */
    readonly path: string;
  };
  readonly shim: Origin;
  /** The absolute path of the directory in which nginx finds the files; undefined: the one of nginx.conf. */
  readonly directory?: string | undefined;
  /** Where nginx listens, as its directive says it. */
  readonly listen: string;
  /** A socket in the file system between nginx's script and its cache. */
  readonly socket: string;
  /** Where nginx keeps what it was told; beside it, with `-answers` at the end, what it made of that. */
  readonly cache: string;
  /** A file of certificates, by which nginx judges those of https origins. */
  readonly trusted: string;
  /** By which a shim with the setting `fronts` hears this front; undefined: one that hears any. */
  readonly frontSecret?: string | undefined;
  /** Whether nginx has its brotli filter, and is to prefer it to gzip. */
  readonly brotli?: boolean | undefined;
}

export interface Origin {
  readonly protocol: "http" | "https";
  readonly host: string;
  readonly port: number;
}

/** Bytes from which on fronts compress a body. */
export const COMPRESSED_FROM = 1024;

const PORTS = { http: 80, https: 443 } as const;

/** Of an absolute URL, whose protocol is http or https. */
export function originOf({ protocol, hostname, port }: URL): Origin {
  const scheme = protocol === "https:" ? "https" : "http";
  return { protocol: scheme, host: hostname, port: Number(port) || PORTS[scheme] };
}

/** As a client of the origin writes it in Host. */
export function hostOf({ protocol, host, port }: Origin): string {
  return port === PORTS[protocol] ? host : `${host}:${port}`;
}

/** What the checked-in files say: a bucket's gateway and a shim on the front's own machine. */
export const DEFAULT_OPTIONS: CdnOptions = {
  bucket: { protocol: "http", host: "127.0.0.1", port: 8080, path: "/noonmark/public/" },
  shim: { protocol: "http", host: "127.0.0.1", port: 8787 },
  listen: "127.0.0.1:8081",
  socket: "/run/noonmark-cache.sock",
  cache: "/var/cache/nginx-noonmark",
  trusted: "/etc/ssl/certs/ca-certificates.crt",
};

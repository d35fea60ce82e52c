/** The addresses of a front's two origins, and its other options. */
export interface CdnOptions {
  readonly bucket: Origin & {
    /** Before an object's key, with a slash at both ends: `/bucket/prefix/`, or `/prefix/` if the host names the bucket. */
    readonly path: string;
  };
  readonly shim: Origin;
  /** The absolute path of the directory in which nginx finds the files; undefined: the one of nginx.conf. */
  readonly directory?: string | undefined;
  /** The address that nginx listens on, in the form of its directive. */
  readonly listen: string;
  /** A socket in the file system between nginx's script and its cache. */
  readonly socket: string;
  /** The directory of nginx's cache of the origins; beside it, with `-answers` at the end, that of the responses. */
  readonly cache: string;
  /** A file of certificates that nginx trusts for https origins. */
  readonly trusted: string;
  /** The secret by which a shim with the setting `fronts` trusts this front; undefined: the shim trusts any. */
  readonly frontSecret?: string | undefined;
  /** True if nginx has its brotli filter, and prefers it to gzip. */
  readonly brotli?: boolean | undefined;
}

export interface Origin {
  readonly protocol: "http" | "https";
  readonly host: string;
  readonly port: number;
}

/** From this many bytes on fronts compress a body. */
export const COMPRESSED_FROM = 1024;

const PORTS = { http: 80, https: 443 } as const;

/** An absolute URL, whose protocol is http or https. */
export function originOf({ protocol, hostname, port }: URL): Origin {
  const scheme = protocol === "https:" ? "https" : "http";
  return { protocol: scheme, host: hostname, port: Number(port) || PORTS[scheme] };
}

/** As a client of the origin writes it in Host. */
export function hostOf({ protocol, host, port }: Origin): string {
  return port === PORTS[protocol] ? host : `${host}:${port}`;
}

/** The options of the checked-in files: a bucket's gateway and a shim on the front's own machine. */
export const DEFAULT_OPTIONS: CdnOptions = {
  bucket: { protocol: "http", host: "127.0.0.1", port: 8080, path: "/noonmark/public/" },
  shim: { protocol: "http", host: "127.0.0.1", port: 8787 },
  listen: "127.0.0.1:8081",
  socket: "/run/noonmark-cache.sock",
  cache: "/var/cache/nginx-noonmark",
  trusted: "/etc/ssl/certs/ca-certificates.crt",
};

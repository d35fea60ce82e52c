interface Origin {
  readonly host: string;
  readonly port: number;
}

/** The origins of a front. */
export interface FrontOrigins {
  /** `path` begins and ends with a slash. */
  readonly bucket: Origin & { readonly path: string };
  readonly shim: Origin;
  /** The same shim with `--shared-cache-control`; absent: `shim`. */
  readonly sharedShim?: Origin;
}

/** A cache in front of bucket and shim. */
export interface Front {
  readonly hostname: "127.0.0.1";
  readonly port: number;
  /** True if it asks only the shim with `--shared-cache-control`, and no bucket. */
  readonly asksSharedShim?: true;
  stop(): Promise<void>;
}

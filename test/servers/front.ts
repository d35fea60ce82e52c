/** A cache in front of bucket and shim. */
export interface Front {
  readonly hostname: "127.0.0.1";
  readonly port: number;
  stop(): Promise<void>;
}

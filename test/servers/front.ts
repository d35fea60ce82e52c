import type { CdnOptions } from "../../cdn-config/generate/options.ts";

/** The origins of a front. */
export type FrontOrigins = Pick<CdnOptions, "bucket" | "shim" | "frontSecret">;

/** A cache in front of bucket and shim. */
export interface Front {
  readonly hostname: "127.0.0.1";
  readonly port: number;
  stop(): Promise<void>;
}

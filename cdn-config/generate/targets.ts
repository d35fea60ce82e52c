import { cloudflareFiles } from "./cloudflare/cloudflare.ts";
import { cloudfrontFiles } from "./cloudfront/template.ts";
import { nginxFiles } from "./nginx/nginx.ts";
import type { CdnOptions } from "./options.ts";
import { varnishFiles } from "./varnish/varnish.ts";

/** The files that `noonmark cdn TARGET` writes: names and text. */
export const CDN_TARGETS = {
  varnish: varnishFiles,
  nginx: nginxFiles,
  cloudflare: cloudflareFiles,
  cloudfront: cloudfrontFiles,
} as const satisfies Record<string, (options: CdnOptions) => Record<string, string>>;

export type CdnTarget = keyof typeof CDN_TARGETS;

/**
 * The fronts for which `noonmark cdn TARGET` writes files: each has a folder here and a row below. `npm run generate`
 * writes the files for default options to cdn-config/TARGET/. docs/cdn.md lists the pages.
 */
import { cloudflareFiles } from "./cloudflare/cloudflare.ts";
import { cloudfrontFiles } from "./cloudfront/template.ts";
import { checkNginxOptions, nginxFiles } from "./nginx/nginx.ts";
import type { CdnOptions } from "./options.ts";
import { varnishFiles } from "./varnish/varnish.ts";

interface Target {
  /** Returns file contents by name. Throws `Failure` for origins that the front cannot reach. */
  files(options: CdnOptions): Record<string, string>;
  /** Throws `Failure` invalid_setting if the files, written to directory `out`, cannot express an option. */
  check?(options: CdnOptions, out: string): void;
  /** True if the front reads its files as root, so that only their writer needs access to a secret in them. */
  readonly readsAsRoot?: boolean;
}

const TARGETS = {
  varnish: { files: varnishFiles },
  nginx: { files: nginxFiles, check: checkNginxOptions, readsAsRoot: true },
  cloudflare: { files: cloudflareFiles },
  cloudfront: { files: cloudfrontFiles },
} as const satisfies Record<string, Target>;

export type CdnTarget = keyof typeof TARGETS;
export const CDN_TARGETS: Readonly<Record<CdnTarget, Target>> = TARGETS;

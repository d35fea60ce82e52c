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
  /** The mode of files that contain the front's secret. nginx reads them as root, varnishd as its own group. */
  readonly secretMode?: number;
}

const TARGETS = {
  varnish: { files: varnishFiles, secretMode: 0o640 },
  nginx: { files: nginxFiles, check: checkNginxOptions, secretMode: 0o600 },
  cloudflare: { files: cloudflareFiles },
  cloudfront: { files: cloudfrontFiles },
} as const satisfies Record<string, Target>;

export type CdnTarget = keyof typeof TARGETS;
export const CDN_TARGETS: Readonly<Record<CdnTarget, Target>> = TARGETS;

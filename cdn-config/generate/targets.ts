/**
 * The fronts that `noonmark cdn TARGET` writes files for: a folder here and a row below. `npm run generate` writes the files of the
 * default options to cdn-config/TARGET/; docs/cdn.md lists the pages.
 */
import { cloudflareFiles } from "./cloudflare/cloudflare.ts";
import { cloudfrontFiles } from "./cloudfront/template.ts";
import { checkNginxOptions, nginxFiles } from "./nginx/nginx.ts";
import type { CdnOptions } from "./options.ts";
import { varnishFiles } from "./varnish/varnish.ts";

interface Target {
  /** Names and text. Throws `Failure` for origins that the front cannot reach. */
  files(options: CdnOptions): Record<string, string>;
  /** Throws `Failure` invalid_setting if its files cannot hold an option; `out` is the directory that they are written to. */
  check?(options: CdnOptions, out: string): void;
  /** True if it reads its files as root. A secret in them is then for nobody but their writer. */
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

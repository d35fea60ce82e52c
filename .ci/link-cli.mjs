// In a checkout `npx noonmark` is the CLI: npx looks into node_modules/.bin, where npm links only other packages' bins.
import { existsSync, rmSync, symlinkSync } from "node:fs";

const folder = new URL("../node_modules/.bin/", import.meta.url);
if (existsSync(folder)) {
  const link = new URL("noonmark", folder);
  rmSync(link, { force: true });
  symlinkSync("../../bin/noonmark.js", link);
}

/** Part of `npm run build`: the fronts' programs beside the generators that read them, byte for byte. */
import { cpSync, globSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
for (const file of globSync("cdn-config/generate/**/*.js", { cwd: root }))
  cpSync(join(root, file), join(root, "dist", file));

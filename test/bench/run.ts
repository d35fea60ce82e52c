/** `npm run bench [-- NAME …]` runs the named benches, or all of them, in order. */
import { globSync } from "node:fs";
import { basename } from "node:path";

interface Bench {
  run(): Promise<void>;
}

const SUFFIX = ".bench.ts";
/** Bench name to file. */
const files = new Map(
  globSync(`*/*${SUFFIX}`, { cwd: import.meta.dirname })
    .toSorted()
    .map((file) => [basename(file, SUFFIX), file] as const),
);
const all = [...files.keys()];
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !all.includes(name));
if (unknown === undefined) {
  for (const name of wanted.length === 0 ? all : wanted) {
    console.log(`# ${name}`);
    const { run } = (await import(`./${files.get(name)}`)) as Bench;
    await run();
  }
} else {
  console.error(`no bench "${unknown}"; there are ${all.join(", ")}`);
  process.exitCode = 2;
}

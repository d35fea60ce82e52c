/** `npm run bench [-- NAME …]` runs the named benches, or all of them, in order. docs/performance.md has the figures. */
import { globSync } from "node:fs";

interface Bench {
  run(): Promise<void>;
}

const SUFFIX = ".bench.ts";
const all = globSync(`*${SUFFIX}`, { cwd: import.meta.dirname })
  .map((file) => file.slice(0, -SUFFIX.length))
  .toSorted();
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !all.includes(name));
if (unknown === undefined) {
  for (const name of wanted.length === 0 ? all : wanted) {
    console.log(`# ${name}`);
    const { run } = (await import(`./${name}${SUFFIX}`)) as Bench;
    await run();
  }
} else {
  console.error(`no bench "${unknown}"; there are ${all.join(", ")}`);
  process.exitCode = 2;
}

/** `npm run hostile [-- --requests N --seed S --against node,varnish,nginx,workerd]` exits 1 if a response is wrong. */
import { parseArgs } from "node:util";
import { attack } from "./attack.ts";
import { startTarget, TARGETS } from "./targets.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    against: { type: "string", default: TARGETS.join(",") },
  },
});
const targets = TARGETS.filter((name) => values.against.split(",").includes(name));
const requests = Math.ceil(Number(values.requests) / targets.length);
const seed = Number(values.seed);
console.log(`seed ${seed}: ${requests} requests each against ${targets.join(", ")}`);
const PRINT_MS = 30_000;
for (const name of targets) {
  const target = await startTarget(name);
  const started = performance.now();
  let lastPrinted = started;
  const { requested, slowest, counts, faults } = await attack(target, { requests, seed }, (report) => {
    if (performance.now() - lastPrinted < PRINT_MS) return;
    lastPrinted = performance.now();
    console.log(`${name}: ${report.requested} so far, the slowest after ${report.slowest} ms`);
  });
  await target.stop();
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(
    `${name}: ${requested} requests in ${seconds} s, ${faults.length} faults, the slowest after ${slowest} ms; ${JSON.stringify(counts)}`,
  );
  for (const fault of faults) console.log(`  ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}

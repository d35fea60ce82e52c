/**
 * Runs a sync that kills itself with SIGKILL after its nth stored range: `node kill-child.ts DEPLOYMENT URL FILE N`.
 */

import { readDeployment } from "../../../src/chain/deployment.ts";
import { openChain } from "../../../src/chain/open-chain.ts";

const [deployment, url, file, ranges] = process.argv.slice(2) as [string, string, string, string];
let stored = 0;
const chain = openChain({
  deployment: readDeployment(deployment),
  rpcUrls: [url],
  statePath: file,
  grace: 15_000,
  validity: 600_000,
  now: Date.now,
  onEvent(event) {
    if (event.kind === "range" && ++stored === Number(ranges)) process.kill(process.pid, "SIGKILL");
  },
});
await chain.poll(Date.now(), Date.now() + 30_000);
chain.close();
process.stdout.write(`${stored}`);

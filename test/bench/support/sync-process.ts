/**
 * Runs one first sync in a separate process: `node sync-process.ts DEPLOYMENT URL FILE` prints the number of events.
 */
import { readDeployment } from "../../../src/chain/deployment.ts";
import { openChain } from "../../../src/chain/open-chain.ts";

const [deployment, url, statePath] = process.argv.slice(2) as [string, string, string];
let events = 0;
const chain = openChain({
  deployment: readDeployment(deployment),
  rpcUrls: [url],
  statePath,
  grace: 15_000,
  validity: 600_000,
  now: Date.now,
  onEvent(event) {
    if (event.type === "range") events += event.events;
  },
});
await chain.poll(Date.now(), Date.now() + 600_000);
if (!chain.concluded()) process.exitCode = 1;
chain.close();
console.log(events);

/** Runs a worker with its primary's command line. */
import cluster from "node:cluster";
import { main } from "../../main.ts";

await main(process.argv);
// The channel to the primary would keep alive a worker that has finished, such as one that could not listen.
cluster.worker?.disconnect();

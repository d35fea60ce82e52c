/** Runs a worker: the command line of its primary. */
import cluster from "node:cluster";
import { main } from "../../main.ts";

await main(process.argv);
// The channel to the primary would keep a worker alive after its work, such as one that could not listen.
cluster.worker?.disconnect();

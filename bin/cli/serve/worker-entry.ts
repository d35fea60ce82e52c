/** What a worker runs: the command line that its primary was given. */
import cluster from "node:cluster";
import { main } from "../../main.ts";

await main(process.argv);
// The channel to the primary keeps a worker alive that has nothing more to do, such as one that could not listen.
cluster.worker?.disconnect();

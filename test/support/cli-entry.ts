/** The command line from its sources, as a process of its own: what bin/noonmark.js is to the built one. */
import { main } from "../../bin/main.ts";

await main(process.argv);

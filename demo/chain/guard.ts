/** Runs the program of its arguments, and ends it with whoever started this: a killed demo leaves no node behind. */
import { spawn } from "node:child_process";

const [program, ...args] = process.argv.slice(2);
if (program === undefined) throw new Error("no program was named");
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
child.once("error", (error) => {
  console.error(error.message);
  process.exit(1);
});
child.once("exit", (code) => process.exit(code ?? 1));
const end = () => child.kill("SIGKILL");
process.once("disconnect", end);
process.once("SIGTERM", end);

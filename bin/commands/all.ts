/** The commands by name. */
import type { Command } from "commander";
import { Failure } from "../../src/values/failure.ts";

type Register = (program: Command) => void;

/**
 * The commands by name, in the order of `--help`. Only the one that is called is loaded: `ingest` never uses the chain
 * and S3, which would cost it 0.3 s of CPU and 30 MB.
 */
const COMMANDS: Readonly<Record<string, { readonly summary: string; load(): Promise<Register> }>> = {
  init: {
    summary: "write a commented noonmark.json to begin with",
    load: async () => (await import("./operating/init.ts")).registerInit,
  },
  demo: {
    summary: "make a directory with thirty days of a simulated wheel",
    load: async () => (await import("./operating/demo.ts")).registerDemo,
  },
  key: {
    summary: "make the key that signs the published log",
    load: async () => (await import("./operating/key.ts")).registerKey,
  },
  ingest: {
    summary: "take accepted facts, one JSON object a line, into the ledger",
    load: async () => (await import("./intake/ingest.ts")).registerIngest,
  },
  ledger: {
    summary: "restore a lost ledger, or print the facts of one",
    load: async () => (await import("./intake/ledger.ts")).registerLedger,
  },
  publish: {
    summary: "compute every response and put changes into the store, on a cadence or once",
    load: async () => (await import("./publishing/publish.ts")).registerPublish,
  },
  serve: {
    summary: "serve the published responses over HTTP",
    load: async () => (await import("./reading/serve.ts")).registerServe,
  },
  render: {
    summary: "print the response to a GET from the sources, without publishing it",
    load: async () => (await import("./publishing/render.ts")).registerRender,
  },
  status: {
    summary: "show the publication: each response's age and next change, sources, lease, problems",
    load: async () => (await import("./operating/status.ts")).registerStatus,
  },
  verify: {
    summary: "check a deployment of this API from outside: every route, status, header, query and cache",
    load: async () => (await import("./operating/verify.ts")).registerVerify,
  },
  fsck: {
    summary: "check every stored object against what the publisher has put; it writes nothing",
    load: async () => (await import("./operating/fsck.ts")).registerFsck,
  },
};

/** Adds the command that the arguments name. Without one, lists all commands without loading them. */
export async function addCommands(program: Command, given: readonly string[]): Promise<void> {
  const [first, second] = given.filter((argument) => !argument.startsWith("-"));
  const called = first === "help" ? second : first;
  if (called !== undefined && Object.hasOwn(COMMANDS, called)) await add(program, called);
  else if (first === "help" && called !== undefined && called !== "help")
    throw new Failure("usage", `unknown command '${called}'`);
  else for (const [name, { summary }] of Object.entries(COMMANDS)) program.command(name).description(summary);
}

/** Loads and adds every command. */
export async function addAllCommands(program: Command): Promise<Command> {
  for (const name of Object.keys(COMMANDS)) await add(program, name);
  return program;
}

async function add(program: Command, name: string): Promise<void> {
  const command = COMMANDS[name];
  if (command === undefined) return;
  (await command.load())(program);
  program.commands.at(-1)?.description(command.summary);
}

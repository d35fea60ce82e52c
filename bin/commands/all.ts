/** The commands by name. A new command also needs a group in build/program.ts, as the build reports. */
import { Command, Help } from "commander";
import { Failure } from "../../src/values/failure.ts";
import { commandTree, type TreeCommand } from "../cli/completion/command-tree.ts";

type Register = (program: Command) => void;

/**
 * The commands by name, in the order of `--help`. Only the one that is called is loaded: `ingest` never uses the chain
 * and S3, which would cost it 0.3 s of CPU and 30 MB.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  init: async () => (await import("./operating/init.ts")).registerInit,
  demo: async () => (await import("./operating/demo.ts")).registerDemo,
  key: async () => (await import("./operating/key.ts")).registerKey,
  ingest: async () => (await import("./intake/ingest.ts")).registerIngest,
  ledger: async () => (await import("./intake/ledger.ts")).registerLedger,
  publish: async () => (await import("./publishing/publish.ts")).registerPublish,
  serve: async () => (await import("./reading/serve.ts")).registerServe,
  render: async () => (await import("./publishing/render.ts")).registerRender,
  status: async () => (await import("./operating/status.ts")).registerStatus,
  cdn: async () => (await import("./reading/cdn.ts")).registerCdn,
  verify: async () => (await import("./operating/verify.ts")).registerVerify,
  fsck: async () => (await import("./operating/fsck.ts")).registerFsck,
  completion: async () => {
    const { registerCompletion } = await import("./operating/completion.ts");
    return (program) => registerCompletion(program, wholeTree);
  },
};

/** Adds the command that the arguments name. Without one, lists all commands without loading them. */
export async function addCommands(program: Command, given: readonly string[]): Promise<void> {
  const [first, second] = given.filter((argument) => !argument.startsWith("-"));
  const called = first === "help" ? second : first;
  if (called !== undefined && Object.hasOwn(COMMANDS, called)) await add(program, called);
  else if (first === "help" && called !== undefined && called !== "help") throw await unknownCommand(called);
  else list(program, await wholeTree());
}

async function unknownCommand(name: string): Promise<Failure> {
  const { didYouMean } = await import("../cli/settings/setting-names.ts");
  return new Failure("usage", `unknown command '${name}'${didYouMean(name, Object.keys(COMMANDS))}`);
}

/** Loads and adds every command. */
export async function addAllCommands(program: Command): Promise<Command> {
  for (const name of Object.keys(COMMANDS)) await add(program, name);
  return program;
}

async function add(program: Command, name: string): Promise<void> {
  const register = await COMMANDS[name]?.();
  register?.(program);
}

/** Returns the whole tree, which the built program contains as a list. */
async function wholeTree(): Promise<readonly TreeCommand[]> {
  const { KNOWN_TREE } = await import("./known-tree.ts");
  return KNOWN_TREE ?? commandTree(await addAllCommands(new Command("noonmark")));
}

/** Adds only names and descriptions, which suffice for `--help` and misspelt commands. */
function list(program: Command, [root]: readonly TreeCommand[]): void {
  const commands = root?.commands ?? [];
  for (const { name, help } of commands) program.command(name).description(help);
  const terms = new Map(commands.map(({ name, term }) => [name, term]));
  program.configureHelp({
    subcommandTerm: (command) => terms.get(command.name()) ?? new Help().subcommandTerm(command),
  });
}

/** `noonmark completion SHELL`: the script by which a shell completes commands, options and their choices. */
import { Argument, type Command } from "commander";
import { commandTree } from "../../cli/completion/command-tree.ts";
import { SHELLS } from "../../cli/completion/shells.ts";

/** Its own program has every command registered (`commandsFor`). */
export function registerCompletion(program: Command): void {
  program
    .command("completion")
    .description("print a shell's completion of commands, options and choices (docs/operating.md)")
    .addArgument(new Argument("<shell>", "whose").choices(Object.keys(SHELLS)))
    .action((shell: keyof typeof SHELLS) => {
      process.stdout.write(SHELLS[shell](commandTree(program)));
    });
}

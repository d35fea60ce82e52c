/** `noonmark completion SHELL`: a script for a shell's completion of commands, options and their choices. */
import { Argument, type Command } from "commander";
import type { TreeCommand } from "../../cli/completion/command-tree.ts";
import { SHELLS } from "../../cli/completion/shells.ts";
import { write } from "../../cli/messages.ts";

/** `tree` returns the whole program, with the root first. */
export function registerCompletion(program: Command, tree: () => Promise<readonly TreeCommand[]>): void {
  program
    .command("completion")
    .description("print the completion script of a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SHELLS)))
    .action(async (shell: keyof typeof SHELLS) => {
      await write(SHELLS[shell](await tree()));
    });
}

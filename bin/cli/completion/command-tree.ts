/** The tree of commands and options for shell completion, read from commander. */
import type { Command, Option } from "commander";

export interface TreeOption {
  /** `--json`, and `-h` if it has a short form. */
  readonly names: readonly string[];
  readonly help: string;
  /** Its value: none, one of these words, a file or directory, or any other text. */
  readonly value: "none" | "file" | "other" | readonly string[];
}

export interface TreeCommand {
  /** `` for the program, `/ledger/export` for its command `ledger export`. */
  readonly path: string;
  readonly options: readonly TreeOption[];
  /** `term` is the command's name and arguments, as help lists them. */
  readonly commands: readonly { readonly name: string; readonly term: string; readonly help: string }[];
  /** The possible values of its first argument; `file` if they are unknown. */
  readonly argument: readonly string[] | "file";
}

/** Returns the program first, and each command before its subcommands. */
export function commandTree(command: Command, path = ""): TreeCommand[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command).filter((child) => child.name() !== "help");
  const [argument] = command.registeredArguments;
  return [
    {
      path,
      options: help.visibleOptions(command).map(treeOption),
      commands: children.map((child) => ({
        name: child.name(),
        term: help.subcommandTerm(child),
        help: child.description(),
      })),
      argument: argument?.argChoices ?? "file",
    },
    ...children.flatMap((child) => commandTree(child, `${path}/${child.name()}`)),
  ];
}

function treeOption(option: Option): TreeOption {
  const names = [option.long, option.short].filter((name) => name !== undefined);
  return { names, help: option.description, value: valueOf(option) };
}

function valueOf({ required, optional, argChoices, flags }: Option): TreeOption["value"] {
  if (!required && !optional) return "none";
  if (argChoices !== undefined) return argChoices;
  const [, named = ""] = /[<[](.+?)(?:\.\.\.)?[>\]]$/.exec(flags) ?? [];
  if (named === "true|false") return ["true", "false"];
  return /\b(?:file|path|directory)\b/.test(named) ? "file" : "other";
}

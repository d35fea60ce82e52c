/** packaging/man/noonmark.1, made from commander's own tree and from the settings; a test holds the file to it. */
import type { Command } from "commander";
import { environmentName } from "../settings/setting-names.ts";
import { SETTING_NAMES, SETTINGS } from "../settings/settings.ts";

const EXITS: readonly (readonly [string, string])[] = [
  ["0", "done"],
  ["1", "failed, rejected or too old"],
  ["2", "usage or configuration"],
  ["74", "a file, ledger or store that cannot be read or written"],
  ["75", "locked, or the lease held by another"],
];
const FILES: readonly (readonly [string, string])[] = [
  ["noonmark.json", "the configuration, in the directory of the run or where --config says; comments are allowed"],
];

/** In the macros of man(7). Everywhere the same: no date, and the version is the package's. */
export function manualPage(program: Command, version: string): string {
  return `${[
    `.TH NOONMARK 1 "" "noonmark ${text(version)}"`,
    ".SH NAME",
    `noonmark \\- ${text(sentence(program.description()).replace(/\.$/, ""))}`,
    ".SH SYNOPSIS",
    ".B noonmark",
    ".I command",
    ".RI [ options ]",
    ".SH COMMANDS",
    ...visible(program).flatMap((command) => commandLines(command, command.name())),
    ".SH CONFIGURATION",
    "Each setting is a key of the configuration, a flag and an environment variable; a flag goes before a variable before",
    "the file.",
    ...SETTING_NAMES.flatMap((name) => tagged(`${bold(name)}, ${bold(environmentName(name))}`, SETTINGS[name].help)),
    ".SH EXIT STATUS",
    ...EXITS.flatMap(([code, meaning]) => tagged(bold(code), meaning)),
    ".SH FILES",
    ...FILES.flatMap(([path, meaning]) => tagged(italic(path), meaning)),
    ".SH SEE ALSO",
    "docs/operating.md in the package, and the README beside it.",
  ].join("\n")}\n`;
}

function commandLines(command: Command, path: string): string[] {
  const children = visible(command);
  if (children.length > 0) return children.flatMap((child) => commandLines(child, `${path} ${child.name()}`));
  const given = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  const help = command.createHelp();
  return [
    `.SS "noonmark ${text([path, ...given].join(" "))}"`,
    text(sentence(command.description())),
    ...help
      .visibleArguments(command)
      .filter(({ description }) => description !== "")
      .flatMap((argument) => tagged(italic(argument.name()), help.argumentDescription(argument))),
    ...help.visibleOptions(command).flatMap((option) => tagged(bold(option.flags), help.optionDescription(option))),
  ];
}

function visible(command: Command): readonly Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== "help");
}

const tagged = (tag: string, meaning: string) => [".TP", tag, text(meaning)];
const bold = (words: string) => `\\fB${text(words)}\\fR`;
const italic = (words: string) => `\\fI${text(words)}\\fR`;
const sentence = (words: string) =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.?]$/.test(words) ? "" : "."}`;

/** Nothing in it is roff's: no escape, and no control line where it begins. */
function text(words: string): string {
  return words
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("…", "...")
    .replace(/^(?=[.'])/, "\\&");
}

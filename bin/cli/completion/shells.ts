/** Generates completion scripts, which do not run Node on each key press. */
import type { TreeCommand, TreeOption } from "./command-tree.ts";

type Tree = readonly TreeCommand[];

export const SHELLS = { bash, zsh, fish } as const satisfies Record<string, (tree: Tree) => string>;

const paths = (tree: Tree) => tree.map(({ path }) => path).filter((path) => path !== "");
const optionNames = ({ options }: TreeCommand) => options.flatMap(({ names }) => names);
const words = ({ commands, argument }: TreeCommand) =>
  commands.length > 0 ? commands.map(({ name }) => name) : argument === "file" ? [] : argument;

/** Lists the options whose value is a file or one of a few words: `/cdn:--out`. */
function valued(tree: Tree): { at: string; value: TreeOption["value"] }[] {
  return tree.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) =>
      value === "none" ? [] : names.map((name) => ({ at: `${path}:${name}`, value })),
    ),
  );
}

/** bash offers files if the function offers nothing. */
function bash(tree: Tree): string {
  const values = valued(tree).map(
    ({ at, value }) => `    ${at}) offered=${quote(typeof value === "string" ? "" : value.join(" "))} ;;`,
  );
  const rows = tree.flatMap((command) => [
    `        ${command.path}:-*) offered=${quote(optionNames(command).join(" "))} ;;`,
    `        ${command.path}:*) offered=${quote(words(command).join(" "))} ;;`,
  ]);
  return `# bash completion of noonmark: source it, or lay it into /usr/share/bash-completion/completions/noonmark
_noonmark() {
  local current=\${COMP_WORDS[COMP_CWORD]} at='' offered='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case $at/\${COMP_WORDS[index]} in
      ${paths(tree).join(" | ")}) at=$at/\${COMP_WORDS[index]} ;;
    esac
  done
  case $at:\${COMP_WORDS[COMP_CWORD - 1]} in
${values.join("\n")}
    *)
      case $at:$current in
${rows.join("\n")}
      esac
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$offered" -- "$current")
}
complete -o bashdefault -o default -F _noonmark noonmark
`;
}

function zsh(tree: Tree): string {
  const described = (name: string, help: string) => quote(`${name.replaceAll(":", "\\:")}:${help}`);
  const values = valued(tree).map(({ at, value }) => {
    const offer =
      typeof value !== "string" ? `compadd -- ${value.join(" ")}` : value === "file" ? "_files" : "_message value";
    return `    ${quote(at)}) ${offer}; return ;;`;
  });
  const rows = tree.flatMap(({ path, options, commands, argument }) => {
    const listed = options.flatMap(({ names, help }) => names.map((name) => described(name, help)));
    const named = commands.map(({ name, help }) => described(name, help));
    const offered =
      named.length > 0
        ? `offered=(${named.join(" ")}); _describe command offered`
        : argument === "file"
          ? "_files"
          : `compadd -- ${argument.join(" ")}`;
    return [
      `    ${quote(`${path}:-`)}*) offered=(${listed.join(" ")}); _describe -o option offered ;;`,
      `    ${quote(`${path}:`)}*) ${offered} ;;`,
    ];
  });
  return `#compdef noonmark
# zsh completion of noonmark: source it after compinit, or lay it into $fpath as _noonmark
_noonmark() {
  local at= word
  local -a offered
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    case $at/$word in
      ${paths(tree).join(" | ")}) at=$at/$word ;;
    esac
  done
  case $at:$words[CURRENT-1] in
${values.join("\n")}
  esac
  case $at:$words[CURRENT] in
${rows.join("\n")}
  esac
}
if [[ $funcstack[1] == _noonmark ]]; then _noonmark "$@"; else compdef _noonmark noonmark; fi
`;
}

function fish(tree: Tree): string {
  const lines = tree.flatMap(({ path, options, commands, argument }) => {
    const here = `complete -c noonmark -n '__noonmark_at "${path}"'`;
    const given = argument === "file" || commands.length > 0 ? [] : argument.map((word) => `${here} -f -a ${word}`);
    return [
      ...commands.map(({ name, help }) => `${here} -f -a ${name} -d ${quote(help)}`),
      ...given,
      ...options.map((option) => `${here} ${fishOption(option)}`),
    ];
  });
  return `# fish completion of noonmark: source it, or lay it into a completions directory of fish as noonmark.fish
function __noonmark_at
    set -l at ''
    set -l given (commandline -opc)
    for word in $given[2..-1]
        switch $at/$word
            case ${paths(tree).join(" ")}
                set at $at/$word
        end
    end
    test "$at" = "$argv[1]"
end
${lines.join("\n")}
`;
}

function fishOption({ names, help, value }: TreeOption): string {
  const flags = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(" ");
  const takes =
    value === "none"
      ? ""
      : value === "file"
        ? " -r -F"
        : value === "other"
          ? " -x"
          : ` -x -a ${quote(value.join(" "))}`;
  return `${flags}${takes} -d ${quote(help)}`;
}

/** Quotes a word for POSIX shells and fish. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** Completion in the real shells, our shell scripts, and the manual page in man and mandoc. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../../support/cli.ts";
import { sharedFolder } from "../../support/test-folder.ts";

const PAGE = new URL("../../../packaging/man/noonmark.1", import.meta.url).pathname;

const folder = sharedFolder();
const script = (shell: string) => join(folder, `noonmark.${shell}`);
beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { exitCode, stdout } = await runCli(["completion", shell], folder);
    expect(exitCode).toBe(0);
    writeFileSync(script(shell), stdout);
  }
  writeFileSync(join(folder, "facts.ndjson"), "");
});

const run = (command: string, args: readonly string[]) =>
  execFileSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 120_000,
    env: { ...process.env, TERM: "xterm" },
  });

/** A shell's suggestions at the end of a line. */
const OFFERED: Record<string, (line: string) => string[]> = {
  bash: (line) => {
    const words = line.split(" ");
    const set = `source ${script("bash")}; COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}`;
    return run("bash", ["-c", `${set}; _noonmark; printf '%s\\n' "\${COMPREPLY[@]}"`])
      .split("\n")
      .filter((word) => word !== "");
  },
  fish: (line) =>
    run("fish", ["--no-config", "-c", `source ${script("fish")}; complete -C ${JSON.stringify(line)}`])
      .split("\n")
      .map((word) => word.split("\t")[0] ?? "")
      .filter((word) => word !== ""),
};

test("shellcheck has nothing to say about our scripts", () => {
  const root = new URL("../../../", import.meta.url).pathname;
  const files = execFileSync("git", ["grep", "-lE", "^#!.*sh$", "--", ":!*.md"], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n");
  expect(files).toContain(".ci/run");
  expect(run("shellcheck", ["--shell=bash", script("bash"), ...files.map((file) => join(root, file))])).toBe("");
});

describe.each(Object.keys(OFFERED))("%s", (shell) => {
  const offered = (line: string) => OFFERED[shell]?.(line).toSorted();
  test.each([
    ["noonmark le", ["ledger"]],
    ["noonmark cdn ", ["cloudflare", "cloudfront", "nginx", "varnish"]],
    ["noonmark cdn nginx --front", ["--front-secret", "--front-secret-file"]],
    ["noonmark ledger restore --s3-r", ["--s3-region"]],
    ["noonmark publish --site ", ["false", "true"]],
    ["noonmark completion ", ["bash", "fish", "zsh"]],
  ])("%s", (line, words) => expect(offered(line)).toEqual(words));
});

/** Types each line and a tab on a terminal. A key binding then prints the completed line. */
const TYPED = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; autoload -U compinit; compinit -u -D; source $1"
zpty -w shell 'show() { zle -I; print -r -- "buffer:$BUFFER:"; BUFFER= }; zle -N show; bindkey "^X" show; print READY\${:-}1'
zpty -r -m shell said '*READY1*'
for line in "noonmark led" "noonmark cdn var" "noonmark ledger restore --s3-r" "noonmark ingest fac"; do
  zpty -w -n shell "$line"$'\\t\\C-x'
  zpty -r -m shell said '*buffer:*:*'
  print -r -- "\${\${said##*buffer:}%%:*}"
done
zpty -d shell
`;

test("zsh", () => {
  expect(
    run("zsh", ["-f", "-c", TYPED, "zsh", script("zsh")])
      .split("\n")
      .map((line) => line.trimEnd()),
  ).toEqual([
    "noonmark ledger",
    "noonmark cdn varnish",
    "noonmark ledger restore --s3-region",
    "noonmark ingest facts.ndjson",
    "",
  ]);
});

test("man renders the manual page without a warning, and mandoc finds no fault", () => {
  const warned = `man --warnings -E UTF-8 -l ${PAGE} 2>&1 >/dev/null`;
  expect(run("bash", ["-c", warned])).toBe("");
  // mandoc wants a date, which an unreleased page does not have.
  const faults = run("bash", ["-c", `mandoc -T lint -W warning ${PAGE} || true`])
    .trim()
    .split("\n");
  expect(faults).toEqual([expect.stringContaining("missing date")]);
  expect(run("bash", ["-c", `MANWIDTH=200 man -l ${PAGE}`])).toContain("noonmark ledger restore");
});

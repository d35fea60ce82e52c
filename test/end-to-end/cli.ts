/** The command line in a folder of its own, with settings by variables, and its servers. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Finished, runCli, startCli } from "../support/cli.ts";

export class Cli {
  readonly folder = mkdtempSync(join(tmpdir(), "noonmark-cli-"));
  readonly #settings: Record<string, string>;
  readonly #serving: ChildProcess[] = [];

  constructor(settings: Record<string, string> = {}) {
    this.#settings = settings;
  }

  run(...args: string[]): Promise<Finished> {
    return runCli(args, this.folder, "", this.#settings);
  }

  /** Starts `noonmark serve` on a free port; its base URL. */
  async serve(...args: string[]): Promise<string> {
    const child = startCli(["serve", "--port", "0", ...args], this.folder, this.#settings);
    this.#serving.push(child);
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url === undefined) throw new Error(`serve said: ${line}`);
    return url;
  }

  async end(): Promise<void> {
    for (const child of this.#serving) {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    }
    rmSync(this.folder, { recursive: true });
  }
}

/** The built command line as its users run it, in a folder of its own. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const BIN = join(import.meta.dirname, "../../bin/noonmark.js");

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Cli {
  readonly folder = mkdtempSync(join(tmpdir(), "noonmark-cli-"));
  readonly #settings: Record<string, string>;
  readonly #serving: ChildProcess[] = [];

  constructor(settings: Record<string, string> = {}) {
    this.#settings = settings;
  }

  run(...args: string[]): Ended {
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
      cwd: this.folder,
      env: this.#environment(),
      encoding: "utf8",
      maxBuffer: 64 * 2 ** 20,
      timeout: 60_000,
    });
    return { status, stdout, stderr };
  }

  /** Starts `noonmark serve` on a free port; its base URL. */
  async serve(...args: string[]): Promise<string> {
    const child = spawn(process.execPath, [BIN, "serve", "--port", "0", ...args], {
      cwd: this.folder,
      env: this.#environment(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#serving.push(child);
    if (child.stdout === null) throw new Error("no stdout");
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

  #environment(): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("NOONMARK_"));
    return { ...Object.fromEntries(inherited), ...this.#settings };
  }
}

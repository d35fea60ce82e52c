/** The package as a user installs it: packed, and installed into an empty folder by a given Node with its npm. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../support/processes.ts";

export interface Installed {
  /** The folder to run commands in; the package is in its node_modules. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** Installs these packages, a Node or an npm, below `tools`, and returns an environment with them first in PATH. */
export async function installTools(tools: string, ...packages: string[]): Promise<NodeJS.ProcessEnv> {
  mkdirSync(tools, { recursive: true });
  writeFileSync(join(tools, "package.json"), "{}");
  await run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: tools });
  return environmentWith(`${tools}/node_modules/.bin`);
}

/** An environment with this folder of programs before the system's. */
export function environmentWith(programs: string): NodeJS.ProcessEnv {
  // Removes npm variables that an enclosing `npm run` sets. The registry's address stays.
  const settings = Object.keys(process.env).filter((name) =>
    /^(?:NOONMARK_|npm_config_(?:local_)?prefix$)/i.test(name),
  );
  return {
    ...process.env,
    ...Object.fromEntries(settings.map((name) => [name, undefined])),
    // A user's npmrc may cause warnings in a newer npm.
    npm_config_loglevel: "error",
    PATH: `${programs}:/usr/sbin:/usr/bin:/sbin:/bin`,
  };
}

/** Its commands are in PATH, as after an installation with --global. */
export async function installPackage(
  folder: string,
  tarball: string,
  environment: NodeJS.ProcessEnv,
): Promise<Installed> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  await run("npm", ["install", "--no-audit", "--no-fund", tarball], { cwd: folder, env: environment });
  return { folder, environment: { ...environment, PATH: `${folder}/node_modules/.bin:${environment.PATH}` } };
}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a line of a page, as written, in a shell. */
export async function shell({ folder, environment }: Installed, line: string): Promise<Ended> {
  const child = spawn("bash", ["-c", line], { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => said.push(data.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output: said.join("") };
}

export interface Staying {
  /** Its output so far. */
  output(): string;
  /** Kills all processes that the line started. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** A line that keeps running. */
export function staying({ folder, environment }: Installed, line: string): Staying {
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const child = spawn("bash", ["-c", line], { cwd: folder, env: environment, stdio: [...stdio], detached: true });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data: Buffer) => (said += data.toString()));
  const closed = once(child, "close");
  return {
    output: () => said,
    end: async (signal = "SIGTERM") => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, signal);
      await closed;
    },
  };
}

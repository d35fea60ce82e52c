/** The state directory of a model test. It can be lost, or return as an older copy, whole or file by file. */
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../support/random.ts";

/** The files of a database, including SQLite's extra files. */
const FILES = ["publisher.json", "projections.db"] as const;
/** Number of older copies to keep. */
const COPIES = 6;

export class States {
  readonly #folder: string;
  readonly #copies: string[] = [];
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The name of the current directory. */
  get name(): string {
    return `state-${this.#count}`;
  }

  /** Copies the current files. If a process uses them, this is what SIGKILL would leave. */
  keepCopy(): void {
    const copy = join(this.#folder, `copy-${this.#count}-${this.#copies.length}`);
    cpSync(this.#current, copy, { recursive: true });
    this.#copies.push(copy);
    if (this.#copies.length > COPIES) this.#copies.shift();
  }

  /** After a kill: restores the files of the newest copy. */
  kill(): void {
    const copy = this.#copies.at(-1);
    this.#count++;
    if (copy !== undefined) cpSync(copy, this.#current, { recursive: true });
  }

  /** Returns a description for the story. */
  change(random: Random): string {
    const before = this.#current;
    const copy = random.pick(this.#copies);
    this.#count++;
    mkdirSync(this.#current);
    const fates = FILES.map((file) => {
      const fate = random.pick(["lost", "kept", "older"] as const);
      const from = fate === "older" ? copy : before;
      if (fate !== "lost" && from !== undefined) this.#take(file, from);
      return `${file} ${fate}`;
    });
    return fates.join(", ");
  }

  get #current(): string {
    return join(this.#folder, this.name);
  }

  #take(file: string, from: string): void {
    if (!existsSync(from)) return;
    for (const name of readdirSync(from)) {
      if (name.startsWith(file)) cpSync(join(from, name), join(this.#current, name));
    }
  }
}

/** The state directory of a model test: it is lost, or it returns as an older copy, as a whole or one file of it. */
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "./random.ts";

/** The files of a database, with those that SQLite keeps beside it. */
const FILES = ["published.db", "projections.db"] as const;
/** Older copies that are kept. */
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

  /** A copy of the files as they are now. While a process uses them, this is what its SIGKILL leaves. */
  keepCopy(): void {
    const copy = join(this.#folder, `copy-${this.#count}-${this.#copies.length}`);
    cpSync(this.#current, copy, { recursive: true });
    this.#copies.push(copy);
    if (this.#copies.length > COPIES) this.#copies.shift();
  }

  /** The process was killed: its files are those of the newest copy. */
  kill(): void {
    const copy = this.#copies.at(-1);
    this.#count++;
    if (copy !== undefined) cpSync(copy, this.#current, { recursive: true });
  }

  /** Returns what happened, for the story. */
  change(random: Random): string {
    const before = this.#current;
    const copy = random.of(this.#copies);
    this.#count++;
    mkdirSync(this.#current);
    const fates = FILES.map((file) => {
      const fate = random.of(["lost", "kept", "older"] as const);
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

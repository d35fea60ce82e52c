import { closeSync, openSync, writeSync } from "node:fs";
import { type Rejection, rejectionJson } from "../../../src/ledger/intake/rejection.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";

/** The file of rejected lines (design 2): one object a line, appended. Throws `Failure` (exit 74). */
export class RejectsFile {
  readonly #path: string;
  readonly #file: number;

  constructor(path: string) {
    this.#path = path;
    this.#file = this.#guarded(() => openSync(path, "a"));
  }

  append(rejections: readonly Rejection[]): void {
    const bytes = Buffer.from(rejections.map((rejection) => `${rejectionJson(rejection)}\n`).join(""));
    this.#guarded(() => {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    });
  }

  close(): void {
    closeSync(this.#file);
  }

  #guarded<T>(act: () => T): T {
    try {
      return act();
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === "ENOSPC" || code === "EDQUOT") {
        throw new Failure("disk_full", `no space is left for the rejects file ${this.#path}`, {
          exit: EXIT.io,
          hint: "Make room and run the same command again.",
          cause,
        });
      }
      throw new Failure("rejects_unwritable", `the rejects file ${this.#path} cannot be written: ${message}`, {
        exit: EXIT.io,
        hint: "Name another file with --rejects.",
        cause,
      });
    }
  }
}

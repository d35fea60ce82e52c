import { closeSync, openSync } from "node:fs";
import { diskFull, isDiskFull } from "../../../src/files/disk-full.ts";
import { PRIVATE_MODE } from "../../../src/files/private-file.ts";
import { appendAll } from "../../../src/files/write-all.ts";
import { type Rejection, rejectionJson } from "../../../src/ledger/intake/rejection.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";

/** The file of rejected lines (docs/spec/intake.md#codes): one object a line, appended. Throws `Failure` (exit 74). */
export class RejectsFile {
  readonly #path: string;
  readonly #file: number;

  constructor(path: string) {
    this.#path = path;
    this.#file = this.#guarded(() => openSync(path, "a", PRIVATE_MODE));
  }

  /** `file` names the file of a spool that the lines are from. */
  append(rejections: readonly Rejection[], file?: string): void {
    const bytes = Buffer.from(rejections.map((rejection) => `${rejectionJson(rejection, file)}\n`).join(""));
    this.#guarded(() => appendAll(this.#file, bytes));
  }

  close(): void {
    closeSync(this.#file);
  }

  #guarded<T>(act: () => T): T {
    try {
      return act();
    } catch (cause) {
      if (isDiskFull(cause)) throw diskFull(`the rejects file ${this.#path}`, cause);
      const { message } = cause as Error;
      throw new Failure("rejects_unwritable", `the rejects file ${this.#path} cannot be written: ${message}`, {
        exit: EXIT.io,
        hint: "Name another file with --rejects.",
        cause,
      });
    }
  }
}

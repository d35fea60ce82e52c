/**
 * Reads the secret that fronts and shim share (the setting `fronts`). Every user of the machine can read command lines in
 * the process list, so the secret comes from a variable or a file.
 */
import { readShortFile } from "../../src/files/short-file.ts";
import { Failure } from "../../src/values/failure.ts";
import { errorMessage } from "../../src/values/unknown.ts";
import { warn } from "./messages.ts";
import { frontSecret } from "./settings/settings.ts";

export const SECRET_FILE_OPTION = [
  "--front-secret-file <file>",
  "a file that holds the secret, and nothing else",
] as const;

const LONGEST_FILE_BYTES = 4_096;

export interface SecretFlags {
  readonly frontSecretFile?: string;
  /** The secret; or `none` or `any` for `serve`. */
  readonly given: string | undefined;
  /** The flag that may contain the secret. */
  readonly flag: "--fronts" | "--front-secret";
}

/** Returns the secret from the flags; undefined if there is none. Throws `Failure` invalid_setting, file_unreadable. */
export function secretOfFlags({ frontSecretFile, given, flag }: SecretFlags): string | undefined {
  if (frontSecretFile !== undefined) return readSecret(frontSecretFile);
  if (given !== undefined && given !== "none" && given !== "any") {
    warn({
      code: "secret_in_arguments",
      message: `${flag} shows the secret to every user of this machine, in the process list`,
      hint: "Set NOONMARK_FRONTS instead, or give --front-secret-file FILE.",
    });
  }
  return given;
}

function readSecret(path: string): string {
  let text: string;
  try {
    text = readShortFile(path, LONGEST_FILE_BYTES).text;
  } catch (cause) {
    throw new Failure("file_unreadable", `the secret's file ${path} cannot be read (${errorMessage(cause)})`, {
      cause,
    });
  }
  const secret = text.endsWith("\n") ? text.slice(0, text.endsWith("\r\n") ? -2 : -1) : text;
  if (frontSecret.safeParse(secret).success) return secret;
  throw new Failure(
    "invalid_setting",
    `the file ${path} holds no secret of 16 to 128 characters of A-Z a-z 0-9 . _ ~ + / = -`,
    { hint: `Make one: (umask 077; openssl rand -hex 24 > ${path})` },
  );
}

/**
 * The file with the private key of a published log. Whoever can read it can sign another log under the same name, so only
 * its owner may read it.
 */
import { rmSync } from "node:fs";
import { PRIVATE_MODE } from "../../src/files/private-file.ts";
import { isExposed, readShortFile } from "../../src/files/short-file.ts";
import { writeNewFile } from "../../src/files/write-all.ts";
import { newPrivateKey, parseSigner, type Signer } from "../../src/log/signer.ts";
import { Failure } from "../../src/values/failure.ts";
import { errorMessage, systemCode } from "../../src/values/unknown.ts";

/** Host names and paths, because the name begins the origin of each log, and people give keys as arguments. */
const KEY_NAME = /^(?!.*\/\/)[A-Za-z0-9](?:[A-Za-z0-9._:/-]{0,126}[A-Za-z0-9])?$/;

const LONGEST_FILE_BYTES = 4_096;

/** Creates a key file. Throws `Failure` usage, file_unwritable. */
export async function writeLogKey(path: string, name: string): Promise<Signer> {
  if (!KEY_NAME.test(name)) {
    throw new Failure("usage", `${JSON.stringify(name)} is not a name for a key`, {
      hint: "Give the host name of the deployment, such as: noonmark key generate wheel.example.org",
    });
  }
  const key = newPrivateKey(name);
  try {
    await writeNewFile(path, [Buffer.from(`${key}\n`)], PRIVATE_MODE);
  } catch (cause) {
    const code = systemCode(cause);
    const message = errorMessage(cause);
    if (code === "EEXIST") {
      throw new Failure("file_unwritable", `${path} already exists, and was not changed`, {
        hint: `It may hold the key of a published log. Look at it with: noonmark key show ${path}. For another key, add --out FILE.`,
        cause,
      });
    }
    rmSync(path, { force: true });
    throw new Failure("file_unwritable", `${path} cannot be written: ${message}`, { cause });
  }
  return parseSigner(key);
}

/**
 * Reads the keys of a file, one a line. During a rotation there are several of one name, and each of them signs. Throws
 * `Failure` file_unreadable, file_exposed, log_key_invalid.
 */
export function readLogKey(path: string): Signer[] {
  const lines = readPrivateFile(path)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const signers = lines.map((line, at) => {
    try {
      return parseSigner(line.trim());
    } catch (cause) {
      throw invalidKey(`line ${at + 1} of ${path}: ${errorMessage(cause)}`, cause);
    }
  });
  const [first] = signers;
  if (first === undefined) throw invalidKey(`${path} holds no key`);
  const { name } = first.verifier;
  const other = signers.find(({ verifier }) => verifier.name !== name);
  if (other !== undefined) throw invalidKey(`${path} holds keys of two names, ${name} and ${other.verifier.name}`);
  const ids = signers.map(({ verifier }) => verifier.id);
  const repeated = ids.find((id, at) => ids.indexOf(id) !== at);
  if (repeated !== undefined) throw invalidKey(`${path} holds the key ${name}+${repeated} twice`);
  return signers;
}

function invalidKey(message: string, cause?: unknown): Failure {
  return new Failure("log_key_invalid", message, { cause });
}

function readPrivateFile(path: string): string {
  const { text, mode } = keyFile(path);
  if (!isExposed(mode)) return text;
  throw new Failure("file_exposed", `other users may use the key in ${path}: its mode is 0${mode.toString(8)}`, {
    hint: `Run: chmod 600 ${path}. If another user may have read it, replace the key: docs/log.md#rotation`,
  });
}

function keyFile(path: string): ReturnType<typeof readShortFile> {
  try {
    return readShortFile(path, LONGEST_FILE_BYTES);
  } catch (cause) {
    throw new Failure("file_unreadable", `the key file ${path} cannot be read (${errorMessage(cause)})`, { cause });
  }
}

/** The findings of `verify --log-key`, and the one that each fault of a step becomes (docs/spec/log.md#proof). */
import { NoonmarkError } from "../../../src/client/log.ts";
import { NoResponse } from "../../../src/judge/exchange.ts";
import { family, type Report, type Rule, type Subject } from "../../../src/judge/report.ts";
import { Failure } from "../../../src/values/failure.ts";
import { errorMessage, rootMessage } from "../../../src/values/unknown.ts";

export const LOG = family(
  "log",
  {
    log_unsigned: ["the checkpoint has a valid signature of the given key", "ask the operator for the verifier key"],
    log_malformed: ["every file of the log has its form", "compare the stored files with docs/spec/log.md#files"],
    log_incomplete: ["every file that the checkpoint needs can be read", "run noonmark publish --once --force"],
    log_damaged: ["every tile and entry hashes into the signed root", "run noonmark publish --once --force"],
    log_rewritten: [
      "the log still begins with all entries that it had before",
      "keep both checkpoints: they prove that the operator has changed published facts",
    ],
    log_restarted: [
      "the log has the name and number that it had before",
      "ask the operator why; to go on with the new log, name another file",
    ],
    entry_missing: [
      "each receipt of the log is an observation, and each observation is an entry of the log",
      "publish from the ledger that was published before",
    ],
    log_not_replayable: ["each entry is a record that intake accepts", "use the version of Noonmark that published"],
    replayed: ["the served body is the one that the log gives", "publish from the ledger whose log is published"],
    reconciled: [
      "each batch that the chain has settled has the work of its rounds in the log",
      "compare the rounds of the log with those that the Reporter settled",
    ],
  },
  "docs/spec/log.md#proof",
);

export const LOG_SUBJECT: Subject = { name: "the log", spec: "docs/spec/log.md#proof" };

/**
 * Runs a step of the check. A fault of the log becomes a finding with its code, and undefined is returned. Throws `Failure`
 * log_key_invalid, `NoResponse`, and `NoonmarkError` aborted.
 */
export async function codesAsFindings<T>(report: Report, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NoonmarkError || error instanceof Failure)) throw error;
    const message = errorMessage(error).replace(`${error.code}: `, "");
    const rule = Object.hasOwn(LOG, error.code) ? LOG[error.code as keyof typeof LOG] : ruleOf(error, message);
    report.check(rule, LOG_SUBJECT, false, () => ({ expected: rule.says, saw: message }));
    return undefined;
  }
}

const KEY_HINT = "Give the verifier key, NAME+ID+DATA, in quotes. Its operator prints it: noonmark key show FILE";

/** Returns the rule of a request that failed. */
function ruleOf(error: NoonmarkError | Failure, message: string): Rule {
  if (error instanceof Failure || error.code === "aborted") throw error;
  if (error.code === "log_key_invalid") {
    throw new Failure("log_key_invalid", message, { hint: KEY_HINT, cause: error });
  }
  if (error.code === "network") throw new NoResponse(`${message}: ${rootMessage(error)}`);
  return LOG.log_incomplete;
}

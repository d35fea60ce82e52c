/** The result of checking one requirement of a publisher. */
import { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable } from "../../../src/values/printable.ts";
import { knownHint, onThisMachine } from "../failures.ts";

export interface Finding {
  readonly check: string;
  readonly saw: string;
  /** The next step; null if the requirement is met. */
  readonly todo: string | null;
}

export function goodFinding(check: string, saw: string): Finding {
  return { check: printable(check), saw: printable(saw), todo: null };
}

export function badFinding(check: string, saw: string, todo: string): Finding {
  return { ...goodFinding(check, inOneLine(saw)), todo: printable(onThisMachine(inOneLine(todo))) };
}

/** A text about several mistakes has a line for each. */
function inOneLine(text: string): string {
  return text.replace(/:\n */, ": ").replaceAll(/\n */g, "; ");
}

/** Returns the findings of `examine`, or its error as a finding, so that no fault hides another. */
export async function examined(
  check: string,
  examine: () => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await examine();
  } catch (error) {
    if (!(error instanceof Failure || error instanceof StoreUnavailable)) throw error;
    const todo = knownHint(error) ?? "Correct what this names, then run noonmark status again.";
    return [badFinding(check, `${error.code}: ${error.message}`, todo)];
  }
}

export function problemOf(finding: Finding): string {
  return `${finding.check}: ${lineOf(finding)}`;
}

/** Formats what was seen and the next step as sentences. */
export function lineOf({ saw, todo }: Finding): string {
  return todo === null ? saw : `${saw}${/[.?]$/.test(saw) ? "" : "."} ${todo}`;
}

/** One line of `noonmark doctor`. */
import { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable } from "../../../src/values/printable.ts";
import { knownHint } from "../hints.ts";

/** A `note` is no fault: it may be what the operator wants. */
export type Severity = "ok" | "note" | "fault";

export interface DoctorFinding {
  readonly check: string;
  readonly severity: Severity;
  /** The observed state. */
  readonly saw: string;
  /** The next step; null if there is none. */
  readonly todo: string | null;
}

export function goodFinding(check: string, saw: string): DoctorFinding {
  return { check: printable(check), severity: "ok", saw: printable(saw), todo: null };
}

export function badFinding(check: string, saw: string, todo: string): DoctorFinding {
  return { check: printable(check), severity: "fault", saw: printable(saw), todo: printable(inOneLine(todo)) };
}

/** A hint about several mistakes has a line for each. */
function inOneLine(hint: string): string {
  return hint.replace(/:\n */, ": ").replaceAll(/\n */g, "; ");
}

export function note(check: string, saw: string, todo: string): DoctorFinding {
  return { ...badFinding(check, saw, todo), severity: "note" };
}

/** Returns the findings of `examine`, or its error as a finding, so that no fault hides another. */
export async function examined(
  check: string,
  examine: () => DoctorFinding[] | Promise<DoctorFinding[]>,
): Promise<readonly DoctorFinding[]> {
  try {
    return await examine();
  } catch (error) {
    if (!(error instanceof Failure || error instanceof StoreUnavailable)) throw error;
    return [
      badFinding(
        check,
        `${error.code}: ${error.message}`,
        knownHint(error) ?? "Correct what this names, then run noonmark doctor again.",
      ),
    ];
  }
}

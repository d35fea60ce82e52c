/** One line of `noonmark doctor`. */
import { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { Failure } from "../../../src/values/failure.ts";
import { printable } from "../../../src/values/printable.ts";

export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** What was seen. */
  readonly saw: string;
  /** What to do; null where nothing is. */
  readonly todo: string | null;
}

export function fine(check: string, saw: string): Finding {
  return { check: printable(check), ok: true, saw: printable(saw), todo: null };
}

export function wrong(check: string, saw: string, todo: string): Finding {
  return { check: printable(check), ok: false, saw: printable(saw), todo: printable(todo) };
}

/** What `examine` finds, or what it throws as a finding: nothing that is wrong with one thing hides another. */
export async function examined(
  check: string,
  examine: () => Finding[] | Promise<Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await examine();
  } catch (error) {
    if (!(error instanceof Failure || error instanceof StoreUnavailable)) throw error;
    return [wrong(check, `${error.code}: ${error.message}`, error.hint ?? "Look at what it names.")];
  }
}

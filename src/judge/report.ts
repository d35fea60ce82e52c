/** The checks, findings and gaps of a run. */
import { printable } from "../values/printable.ts";
import type { Citation, Rule } from "./rule.ts";

export interface Finding {
  readonly rule: string;
  /** A route's name, a file's path, or `every path`. */
  readonly route: string;
  readonly expected: string;
  readonly saw: string;
  readonly spec: string;
  readonly mend: string;
}

export interface Skipped {
  readonly rule: string;
  readonly why: string;
}

/** Whom a check speaks of. */
export interface Subject {
  readonly name: string;
  /** The section that describes it, for rules that cite none of their own. */
  readonly spec: Citation;
}

export interface Verdict {
  readonly expected: string;
  readonly saw: string;
  /** In place of the rule's own. */
  readonly mend?: string;
}

/** Receives each rule's verdict; gives whether it holds. */
export interface Checks {
  /** The verdict is asked for only if the rule does not hold. */
  check(rule: Rule, subject: Subject, holds: boolean, verdict: () => Verdict): boolean;
}

/** For what is said of all paths. */
export const EVERY_PATH: Subject = { name: "every path", spec: "docs/spec/api.md#http" };

/** More of one rule on one route say nothing new. */
const MOST_ALIKE = 5;

export class Report implements Checks {
  readonly findings: Finding[] = [];
  readonly skipped: Skipped[] = [];
  checks = 0;
  readonly #seen = new Map<string, number>();

  check(rule: Rule, subject: Subject, holds: boolean, verdict: () => Verdict): boolean {
    this.checks++;
    if (!holds) this.#add(rule, subject, verdict());
    return holds;
  }

  skip(rule: string, why: string): void {
    if (!this.skipped.some((one) => one.rule === rule && one.why === why)) this.skipped.push({ rule, why });
  }

  #add(rule: Rule, { name, spec: ofSubject }: Subject, { expected, saw, mend = rule.mend }: Verdict): void {
    const place = `${rule.name} ${name}`;
    const whole = `${place} ${expected} ${saw}`;
    const alike = this.#seen.get(place) ?? 0;
    if (alike >= MOST_ALIKE || this.#seen.has(whole)) return;
    this.#seen.set(place, alike + 1);
    this.#seen.set(whole, 1);
    const spec = rule.spec ?? ofSubject;
    this.findings.push({
      rule: rule.name,
      route: name,
      expected: printable(expected),
      saw: printable(saw),
      spec,
      mend,
    });
  }
}

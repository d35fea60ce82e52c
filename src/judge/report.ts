/** A run's rules, checks and findings, and their report as lines and as JSON. */
import { printable } from "../values/printable.ts";

/** A section of the specification. A test checks that it exists. */
export type Citation = `docs/spec/${string}.md#${string}`;

/** A rule of verify: its name, what must hold, and how to fix a violation. */
export interface Rule {
  /** Stable: `family/rule`. */
  readonly name: string;
  readonly says: string;
  readonly fix: string;
  /** The section of the specification, if it differs from the route's. */
  readonly spec?: Citation;
}

/** The rules of a family, keyed by the part of their name after the slash. */
export type Rules<Name extends string> = Readonly<Record<Name, Rule>>;

/** `family("headers", { cors: [says, fix, spec?] }, section?)`: `section` is the default for rules without `spec`. */
export function family<Name extends string>(
  name: string,
  rules: Readonly<Record<Name, readonly [says: string, fix: string, spec?: Citation]>>,
  section?: Citation,
): Rules<Name> {
  const entries = Object.entries<readonly [string, string, Citation?]>(rules).map(
    ([key, [says, fix, spec = section]]) => [
      key,
      { name: `${name}/${key}`, says, fix, ...(spec === undefined ? {} : { spec }) },
    ],
  );
  return Object.fromEntries(entries) as Rules<Name>;
}

export interface Finding {
  readonly rule: string;
  /** A route's name, a file's path, or `every path`. */
  readonly route: string;
  readonly expected: string;
  readonly saw: string;
  readonly spec: string;
  readonly fix: string;
}

export interface Skipped {
  readonly rule: string;
  readonly why: string;
}

/** The route, file or paths that a check concerns. */
export interface Subject {
  readonly name: string;
  /** The section that describes it; the default for rules without `spec`. */
  readonly spec: Citation;
}

export interface Verdict {
  readonly expected: string;
  readonly saw: string;
  /** Replaces the rule's fix. */
  readonly fix?: string;
}

/** Records the verdict of each rule, and returns `holds`. */
export interface Checks {
  /** Calls `verdict` only if the rule does not hold. */
  check(rule: Rule, subject: Subject, holds: boolean, verdict: () => Verdict): boolean;
}

/** The subject of rules about all paths. */
export const EVERY_PATH: Subject = { name: "every path", spec: "docs/spec/api.md#http" };

/** The maximum number of findings per rule and route; further ones are not reported. */
const ALIKE_LIMIT = 5;

/** The maximum number of characters of a text that is not a server's alone. */
const LONGEST_TEXT = 1_000;

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

  /** Escapes what a server says, as `check` does: no text of a report is a command to a terminal, or a second line. */
  skip({ name: rule }: Pick<Rule, "name">, reason: string): void {
    const why = printable(reason, LONGEST_TEXT);
    if (!this.skipped.some((one) => one.rule === rule && one.why === why)) this.skipped.push({ rule, why });
  }

  #add(rule: Rule, subject: Subject, verdict: Verdict): void {
    const [route, expected, saw] = [printable(subject.name), printable(verdict.expected), printable(verdict.saw)];
    const fix = printable(verdict.fix ?? rule.fix, LONGEST_TEXT);
    const place = `${rule.name} ${route}`;
    const whole = `${place} ${expected} ${saw}`;
    const alike = this.#seen.get(place) ?? 0;
    if (alike >= ALIKE_LIMIT || this.#seen.has(whole)) return;
    this.#seen.set(place, alike + 1);
    this.#seen.set(whole, 1);
    this.findings.push({ rule: rule.name, route, expected, saw, spec: rule.spec ?? subject.spec, fix });
  }
}

/** Formats a finding for people. */
export function findingLine({ rule, route, expected, saw, spec, fix }: Finding): string {
  return `FAIL ${rule} ${route}: expected ${expected}, saw ${saw} (${spec}; fix: ${fix})`;
}

export function reportLines({ checks, findings, skipped }: Report): string[] {
  return [
    ...findings.map(findingLine),
    ...skipped.map(({ rule, why }) => `SKIP ${rule}: ${why}`),
    `${checks} checks, ${findings.length} findings, ${skipped.length} skipped`,
  ];
}

export function reportJson({ checks, findings, skipped }: Report): string {
  return JSON.stringify({ checks, findings, skipped });
}

/** The findings of a run, as lines and as JSON. What a server sends is made printable here. */
import { printable } from "../values/printable.ts";
import { RULES, type RuleName } from "./rules.ts";

export interface Finding {
  readonly rule: RuleName;
  /** The request, or the place in the log. */
  readonly request: string;
  readonly expected: string;
  readonly seen: string;
}

export interface Skipped {
  readonly what: string;
  readonly why: string;
}

/** Records if a rule holds for one request, and returns that. */
export type Check = (rule: RuleName, holds: boolean, expected: string, seen: string) => boolean;

/** Findings of one rule about one path; further ones are only counted. */
const ALIKE_LIMIT = 5;

export class Report {
  readonly findings: Finding[] = [];
  readonly skipped: Skipped[] = [];
  checks = 0;
  /** Count of the findings that are not listed, because there are many of the same rule and path. */
  unlisted = 0;
  readonly #alike = new Map<string, Set<string>>();

  /** `request` is a request as text: method, path and query, headers. */
  on(request: string): Check {
    return (rule, holds, expected, seen) => {
      this.checks++;
      if (!holds)
        this.#add({ rule, request: printable(request), expected: printable(expected), seen: printable(seen) });
      return holds;
    };
  }

  skip(subject: string, reason: string): void {
    const [what, why] = [printable(subject), printable(reason, 1_000)];
    if (!this.skipped.some((one) => one.what === what && one.why === why)) this.skipped.push({ what, why });
  }

  #add(finding: Finding): void {
    const text = JSON.stringify(finding);
    const place = `${finding.rule} ${/ (\/[^ ?]*)/.exec(finding.request)?.[1] ?? ""}`;
    const alike = this.#alike.get(place) ?? new Set();
    this.#alike.set(place, alike);
    if (alike.has(text)) return;
    if (alike.size >= ALIKE_LIMIT) this.unlisted++;
    else {
      alike.add(text);
      this.findings.push(finding);
    }
  }
}

export function findingLines({ rule, request, expected, seen }: Finding): string[] {
  return [`FAIL ${rule} ${request}`, `  expected ${expected}`, `  seen     ${seen}`];
}

export function reportLines({ checks, findings, skipped, unlisted }: Report): string[] {
  const broken = new Set(findings.map(({ rule }) => rule));
  return [
    ...findings.flatMap(findingLines),
    ...skipped.map(({ what, why }) => `SKIP ${what}: ${why}`),
    ...[...broken].map((rule) => `RULE ${rule}: ${RULES.get(rule)?.asserts} (${RULES.get(rule)?.clause})`),
    ...(unlisted === 0 ? [] : [`${unlisted} more findings of the same rules and paths are not listed`]),
    `${checks} checks, ${findings.length} findings, ${skipped.length} skipped`,
  ];
}

export function reportJson({ checks, findings, skipped, unlisted }: Report): string {
  const cited = findings.map((finding) => ({ ...finding, ...RULES.get(finding.rule) }));
  return JSON.stringify({ checks, findings: cited, unlisted, skipped });
}

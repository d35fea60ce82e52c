/** Examines the responses at a public address by verify's rules, for a minute. */
import { CONTRACT } from "../../../src/judge/contract.ts";
import { Unanswered } from "../../../src/judge/exchange.ts";
import { connectTo } from "../../../src/verify/connection.ts";
import { FAMILIES, type FamilyName, verify } from "../../../src/verify/verify.ts";
import { type Finding, fine, wrong } from "./finding.ts";

const LIMIT_MS = 60_000;
const TIMEOUT_MS = 10_000;
const QPS = 50;
/** The maximum number of pages of a walk: the first pages show the faults of the others. */
const PAGES = 5;
/** The maximum number of findings; `noonmark verify` shows all. */
const FINDINGS_SHOWN = 5;

export async function examinePublicSide(base: URL): Promise<Finding[]> {
  const { environment, close } = connectTo(base, { timeout: TIMEOUT_MS, qps: QPS }, "doctor");
  const end = performance.now() + LIMIT_MS;
  const findings: Finding[] = [];
  let checks = 0;
  let left = 0;
  try {
    for (const family of Object.keys(FAMILIES) as FamilyName[]) {
      if (performance.now() >= end) {
        left++;
        continue;
      }
      const options = { routes: CONTRACT, installationId: undefined, pages: PAGES, watch: 0 };
      const report = await verify(options, environment, [family]);
      checks += report.checks;
      findings.push(
        ...report.findings.map(({ rule, route, expected, saw, fix }) =>
          wrong("public side", `${rule} ${route}: expected ${expected}, saw ${saw}`, fix),
        ),
      );
    }
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    return [
      wrong("public side", `${base.href}: ${error.message}`, "Check that the address is right and its front runs."),
    ];
  } finally {
    close();
  }
  const later = left === 0 ? "" : `; ${left} families of rules are left to \`noonmark verify\``;
  if (findings.length === 0) return [fine("public side", `${base.href}: ${checks} checks hold${later}`)];
  const more = findings.length - FINDINGS_SHOWN;
  const rest =
    more > 0 ? [wrong("public side", `${more} findings more`, `noonmark verify ${base.href} lists all.`)] : [];
  return [...findings.slice(0, FINDINGS_SHOWN), ...rest];
}

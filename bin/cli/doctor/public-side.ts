/** Examines the responses at a public address by verify's rules, for a minute. */
import { CONTRACT } from "../../../src/judge/contract.ts";
import { NoResponse } from "../../../src/judge/exchange.ts";
import type { Report } from "../../../src/judge/report.ts";
import { connectTo } from "../../../src/verify/connection.ts";
import { RUN_COMPLETE, verify } from "../../../src/verify/verify.ts";
import { badFinding, type DoctorFinding, goodFinding } from "./finding.ts";

const LIMIT_MS = 60_000;
const TIMEOUT_MS = 10_000;
const QPS = 50;
/** The maximum number of pages of a walk: the first pages show the faults of the others. */
const PAGES = 5;
/** The maximum number of findings; `noonmark verify` shows all. */
const FINDINGS_SHOWN = 5;

export async function examinePublicSide(base: URL): Promise<DoctorFinding[]> {
  const limits = { timeout: TIMEOUT_MS, qps: QPS, end: AbortSignal.timeout(LIMIT_MS) };
  const { environment, close } = connectTo(base, limits, "doctor");
  let report: Report;
  try {
    report = await verify({ routes: CONTRACT, installationId: undefined, pages: PAGES, watch: 0 }, environment);
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
    return [
      badFinding(
        "public side",
        `${base.href}: ${error.message}`,
        "Check that the address is right and its front runs.",
      ),
    ];
  } finally {
    close();
  }
  const findings = report.findings.map(({ rule, route, expected, saw, fix }) =>
    badFinding("public side", `${rule} ${route}: expected ${expected}, saw ${saw}`, fix),
  );
  const isCutOff = report.skipped.some(({ rule }) => rule === RUN_COMPLETE);
  const later = isCutOff ? "; this took a minute, and the rest is left to `noonmark verify`" : "";
  if (findings.length === 0) return [goodFinding("public side", `${base.href}: ${report.checks} checks hold${later}`)];
  const more = findings.length - FINDINGS_SHOWN;
  const rest =
    more > 0 ? [badFinding("public side", `${more} findings more`, `noonmark verify ${base.href} lists all.`)] : [];
  return [...findings.slice(0, FINDINGS_SHOWN), ...rest];
}

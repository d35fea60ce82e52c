/** What one cycle has to put, read and built in one transaction over the ledger. */
import { z } from "zod";
import { listInstallations } from "../src/ledger/watermarks.ts";
import type { ResourceName } from "../src/resources/names.ts";
import { Failure } from "../src/values/failure.ts";
import type { Answers, PlannedAnswer } from "./answers/answers.ts";
import type { Publication } from "./answers/publication.ts";
import type { Histories } from "./observations/histories.ts";
import { telemetryPublication, unknownTelemetryPublication } from "./publications/measurement.ts";
import type { ReportRow } from "./report.ts";
import { asofOf } from "./sources/asof.ts";
import type { Sources } from "./sources/sources.ts";

export interface Plan {
  readonly answers: readonly PlannedAnswer[];
  /** The installations of the ledger that go on from what was published. */
  readonly installations: readonly { readonly no: number; readonly id: string }[];
  readonly failedRows: readonly ReportRow[];
  readonly failures: readonly PlanFailure[];
}

export interface PlanFailure {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export interface Planner {
  readonly answers: Answers;
  readonly histories: Histories;
  /** Of the configured installation, telemetry aside. */
  readonly publications: readonly Publication[];
  selected(resource: ResourceName): boolean;
}

export function planCycle(planner: Planner, sources: Sources, at: number): Plan {
  const failures: PlanFailure[] = [];
  const configured = sources.installationId;
  const present = sources.facts === undefined ? [] : listInstallations(sources.facts.ledger);
  const goesOn = (id: string) => continues(planner.histories, sources, id, failures);
  const installations = present.filter(({ id }) => goesOn(id));
  const configuredGoesOn = present.some(({ id }) => id === configured)
    ? installations.some(({ id }) => id === configured)
    : goesOn(configured);

  const publications = [
    unknownTelemetryPublication,
    ...(configuredGoesOn ? [telemetryPublication(configured, true), ...planner.publications] : []),
    ...installations.filter(({ id }) => id !== configured).map(({ id }) => telemetryPublication(id, false)),
  ].filter(({ resource }) => planner.selected(resource));

  const answers: PlannedAnswer[] = [];
  const failedRows: ReportRow[] = [];
  for (const publication of publications) {
    try {
      const asof = asofOf(sources, publication.installationId ?? configured, at);
      const planned = planner.answers.plan(publication, sources, at, asof);
      if (planned !== undefined) answers.push(planned);
    } catch (error) {
      planner.answers.failed(publication, sources, at);
      failedRows.push(failedRow(publication, error));
    }
  }
  return { answers, installations, failedRows, failures };
}

/** A resource that could not be built or put: its last good object and the other resources are unharmed. */
export function failedRow({ key, resource }: Pick<Publication, "key" | "resource">, error: unknown): ReportRow {
  return { key, resource, action: "failed", why: reasonOf(error), status: null, bytes: 0, etag: null, milliseconds: 0 };
}

/** Of a body that breaks its schema, the rule and where. */
function reasonOf(error: unknown): string {
  if (error instanceof Failure) return `${error.code}: ${error.message}`;
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    return `invalid_body: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "breaks its schema"}`;
  }
  return error instanceof Error ? error.message : String(error);
}

function continues(histories: Histories, sources: Sources, id: string, failures: PlanFailure[]): boolean {
  try {
    histories.verify(sources.facts?.ledger, id);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, message, hint } = error;
    failures.push({ code, message, ...(hint === undefined ? {} : { hint }) });
    return false;
  }
}

/** Whether a body is what its kind's schema says; a complaint, or undefined. */

import { routeOfResource } from "../judge/contract.ts";
import { judgeBody } from "../judge/good.ts";
import { Report } from "../judge/report.ts";
import { MAX_PAGE } from "../resources/activity/schema.ts";
import { decodeHead, pageBody } from "../resources/activity/stored-feed.ts";
import type { Kind } from "./kind.ts";

/** What stands for an id in the template of an unknown installation. */
const PLACEHOLDER = "{installationId}";

export interface ParsedBody {
  readonly complaint?: string;
  /** Undefined where it is no JSON object. */
  readonly value?: Readonly<Record<string, unknown>>;
}

export function parseBody(kind: Kind, status: number, bytes: Uint8Array): ParsedBody {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value = JSON.parse(answerText(kind, text)) as Readonly<Record<string, unknown>>;
    const complaint = status === 200 ? schemaComplaint(kind, value) : errorComplaint(value);
    return complaint === undefined ? { value } : { value, complaint };
  } catch (error) {
    return { complaint: `it cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** The answer that a reader gets: a head's first page, the template with an id. */
function answerText(kind: Kind, text: string): string {
  if (kind.is === "template") return text.replaceAll(PLACEHOLDER, "template");
  const head = kind.is === "head" ? decodeHead(text) : undefined;
  return head === undefined ? text : pageBody(head.opening, head.recent.slice(0, MAX_PAGE), null);
}

function schemaComplaint(kind: Kind, value: unknown): string | undefined {
  const resource = "resource" in kind ? kind.resource : kind.is === "template" ? "telemetry" : "activity";
  const route = routeOfResource(resource);
  if (route === undefined) return undefined;
  const report = new Report();
  judgeBody(report, { route, target: route.path }, value);
  const [finding] = report.findings;
  return finding && `${finding.rule}: expected ${finding.expected}, saw ${finding.saw}`;
}

function errorComplaint(value: Readonly<Record<string, unknown>>): string | undefined {
  return typeof value.error === "string" ? undefined : "it is no error of the API";
}

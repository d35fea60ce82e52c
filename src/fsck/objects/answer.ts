/** An answer by itself: metadata, body, tag, scheduled versions. */
import * as z from "zod";
import type { StoredObject } from "../../object-store/object-store.ts";
import { JSON_TYPE } from "../../object-store/stored-response.ts";
import { parseBody } from "../body.ts";
import type { Kind } from "../kind.ts";
import type { Finding, Rule } from "../rules.ts";
import { successorsOf, versionOf } from "./successors.ts";

const headersSchema = z.record(z.string().regex(/^[a-z][a-z0-9-]*$/), z.string().min(1));
const statesSchema = z.array(z.strictObject({ from: z.number().int(), identity: z.string().min(1) }));

export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface JudgedAnswer {
  readonly findings: readonly Finding[];
  readonly installationId?: string;
  /** Keys of the constants that its scheduled versions name. */
  readonly constants: readonly string[];
}

/** Status and headers, or what is wrong with them. */
export function answerHead({ metadata }: StoredObject): AnswerHead | string {
  const { status = "", headers = "", states = "[]" } = metadata;
  if (!/^(200|404|503)$/.test(status)) return `its status is ${JSON.stringify(status)}`;
  try {
    const parsed = headersSchema.safeParse(JSON.parse(headers));
    if (!parsed.success) return "its headers are not names and values";
    if (!statesSchema.safeParse(JSON.parse(states)).success) return "its hashes are not instants and texts";
    return { status: Number(status), headers: parsed.data };
  } catch {
    return "its headers or hashes are no JSON";
  }
}

export function judgeAnswer(key: string, kind: Kind, object: StoredObject): JudgedAnswer {
  const findings: Finding[] = [];
  const add = (rule: Rule, says: string | undefined) => says !== undefined && findings.push({ rule, key, says });
  if (object.contentType !== JSON_TYPE) add("content-type", `its type is ${object.contentType}`);
  const head = answerHead(object);
  const { complaint, value } = parseBody(kind, typeof head === "string" ? 200 : head.status, object.body);
  add("body", complaint);
  const { installationId } = value ?? {};
  const judged = { findings, constants: [], ...(typeof installationId === "string" ? { installationId } : {}) };
  if (typeof head === "string") {
    add("answer", head);
    return judged;
  }
  if (complaint === undefined) add("tag", tagComplaint(head, value));
  const successors = successorsOf(object);
  if (typeof successors === "string") {
    add("successors", successors);
    return judged;
  }
  for (const version of successors.filter((one) => one.key === undefined)) {
    const { body, headers } = versionOf(object, head.headers, version);
    const then = parseBody(kind, head.status, body);
    const wrong = then.complaint ?? tagComplaint({ status: head.status, headers }, then.value);
    add("successors", wrong && `as of ${new Date(version.from).toISOString()}: ${wrong}`);
  }
  return { ...judged, constants: successors.flatMap((one) => one.key ?? []) };
}

/** Telemetry, process and statistics say their revision in the body. */
function tagComplaint({ status, headers }: AnswerHead, value: Readonly<Record<string, unknown>> | undefined) {
  const { etag } = headers;
  if (etag !== undefined && !/^"[!#-~]+"$/.test(etag)) return `its ETag is ${etag}`;
  if (status !== 200) return etag === undefined ? undefined : `a ${status} has the ETag ${etag}`;
  if (value === undefined || !("revision" in value)) return undefined;
  const expected = typeof value.revision === "string" ? `"${value.revision}"` : undefined;
  return etag === expected
    ? undefined
    : `its ETag is ${etag ?? "missing"}, its revision ${JSON.stringify(value.revision)}`;
}

/** Checks single stored objects by kind: metadata, body, tag, successors. `relations.ts` compares objects. */
import * as z from "zod";
import { TILE_SIZE } from "../http/keys.ts";
import { applyEdits, type Edit, MAX_SUCCESSORS, type Successor } from "../http/successor.ts";
import { routeOfResource } from "../judge/contract.ts";
import { judgeBody } from "../judge/good.ts";
import { Report } from "../judge/report.ts";
import type { StoredObject } from "../object-store/object-store.ts";
import { JSON_TYPE, type SourceVersion } from "../object-store/stored-response.ts";
import { activityEventSchema } from "../resources/activity/contract.ts";
import { ACTIVITY_LIMIT } from "../resources/activity/route.ts";
import {
  decodeHead,
  decodeIndexTile,
  decodeTile,
  type EventLine,
  pageBody,
  type TileEntry,
} from "../resources/activity/stored-feed.ts";
import { hashOf } from "../resources/activity/tiles.ts";
import { revisionOf } from "../resources/built.ts";
import { observationSchema } from "../resources/observations/contract.ts";
import { decodeObservationCursor, type ObservationTile } from "../resources/observations/route.ts";
import { ASSETS_PREFIX, SITE_PREFIX } from "../resources/site/route.ts";
import type { NamedFile } from "../resources/table.ts";
import { chainEventKey, isActivityKey } from "../values/activity-key.ts";
import { errorMessage, fieldsOf } from "../values/unknown.ts";
import type { Kind } from "./kind.ts";
import type { Rule, StoreFinding } from "./rules.ts";

/** The entries of the response's headers, and these headers. */
const HEADERS = {
  etag: "etag",
  "cache-control": "cache-control",
  "retry-after": "retry-after",
  "content-security-policy": "content-security-policy",
  "referrer-policy": "referrer-policy",
  "settlement-source": "x-service-settlement-source",
  "fallback-reason": "x-service-settlement-fallback-reason",
} as const;
const statesSchema = z.array(z.strictObject({ from: z.number().int(), fingerprint: z.string().min(1) }));

interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface JudgedResponse {
  readonly findings: readonly StoreFinding[];
  readonly installationId?: string;
  /** The body of a 200 that follows its contract. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Keys of the constants that its successors name. */
  readonly constants: readonly string[];
}

/** Returns the status and headers, or a complaint. */
function responseHead({ metadata }: StoredObject): ResponseHead | string {
  const { status = "", states = "[]" } = metadata;
  if (!/^(200|404|503)$/.test(status)) return `its status is ${JSON.stringify(status)}`;
  try {
    if (!statesSchema.safeParse(JSON.parse(states)).success) return "its hashes are not instants and texts";
  } catch {
    return "its hashes are not JSON";
  }
  const headers = Object.entries(HEADERS).flatMap(([entry, name]) =>
    metadata[entry] === undefined ? [] : [[name, metadata[entry]] as const],
  );
  return { status: Number(status), headers: Object.fromEntries(headers) };
}

export function judgeResponse(key: string, kind: Kind, object: StoredObject): JudgedResponse {
  const findings: StoreFinding[] = [];
  const add = (rule: Rule, says: string | undefined) => says !== undefined && findings.push({ rule, key, says });
  if (object.contentType !== JSON_TYPE) add("content-type", `its type is ${object.contentType}`);
  const head = responseHead(object);
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
  const isGood = head.status === 200 && complaint === undefined && value !== undefined;
  return { ...judged, ...(isGood ? { body: value } : {}), constants: successors.flatMap((one) => one.key ?? []) };
}

/** Bodies of telemetry, process and statistics have a revision, which must equal the ETag. */
function tagComplaint({ status, headers }: ResponseHead, value: Readonly<Record<string, unknown>> | undefined) {
  const { etag } = headers;
  if (etag !== undefined && !/^"[!#-~]+"$/.test(etag)) return `its ETag is ${etag}`;
  if (status !== 200) return etag === undefined ? undefined : `a ${status} has the ETag ${etag}`;
  if (value === undefined || !("revision" in value)) return undefined;
  const expected = typeof value.revision === "string" ? `"${value.revision}"` : undefined;
  return etag === expected
    ? undefined
    : `its ETag is ${etag ?? "missing"}, its revision ${JSON.stringify(value.revision)}`;
}

/** Checks a file outside the API. `row` is undefined for an asset, which may have any type. */
export function judgeFile(key: string, row: NamedFile | undefined, object: StoredObject): StoreFinding[] {
  const findings: StoreFinding[] = [];
  const type = row?.contentType ?? object.contentType;
  if (object.contentType !== type) {
    findings.push({ rule: "content-type", key, says: `its type is ${object.contentType}, not ${type}` });
  }
  const head = responseHead(object);
  if (typeof head === "string") return [...findings, { rule: "answer", key, says: head }];
  const text = new TextDecoder().decode(object.body);
  const tag = `"${revisionOf(text)}"`;
  const { etag = "missing" } = head.headers;
  if (etag !== tag) findings.push({ rule: "tag", key, says: `its ETag is ${etag}, its bytes give ${tag}` });
  if (object.body.length === 0) findings.push({ rule: "body", key, says: "it is empty" });
  return findings;
}

/** Returns the keys of the assets that a page loads. */
export function assetsIn({ body }: StoredObject): string[] {
  const text = new TextDecoder().decode(body);
  const path = ASSETS_PREFIX.slice(SITE_PREFIX.length);
  const names = text.matchAll(new RegExp(`${path}[A-Za-z0-9_]{1,64}-[0-9a-f]{8,64}\\.[a-z0-9]{1,8}`, "g"));
  return [...new Set([...names].map(([name]) => SITE_PREFIX + name))];
}

const instant = z.number().int().positive();
const edit = z.strictObject({ offset: z.number().int(), length: z.number().int(), text: z.string() });
const successor = z.strictObject({
  from: instant,
  headers: z.record(z.string(), z.string().nullable()).optional(),
  edits: z.array(edit).optional(),
  key: z.string().min(1).optional(),
});
const successorsSchema = z.array(successor).min(1).max(MAX_SUCCESSORS);

/** Returns the successors (docs/spec/publishing.md#future), or a complaint. */
function successorsOf({ metadata, body }: StoredObject): readonly Successor[] | string {
  const { successors, "valid-until": until } = metadata;
  if (successors === undefined) return until === undefined ? [] : "it has valid-until, but no successors";
  let list: readonly Successor[];
  try {
    const parsed = successorsSchema.safeParse(JSON.parse(successors));
    const issue = parsed.error?.issues[0];
    if (issue !== undefined) return `${issue.path.join(".")}: ${issue.message}`;
    list = parsed.data as Successor[];
  } catch {
    return "they are not JSON";
  }
  if (String(list[0]?.from) !== until) return `valid-until is ${until}, the first instant ${list[0]?.from}`;
  const isAscending = list.every(({ from }, index) => index === 0 || from > (list[index - 1]?.from ?? 0));
  if (!isAscending) return "their instants do not ascend";
  return list.map(({ edits = [] }) => editsComplaint(edits, body)).find((complaint) => complaint) ?? list;
}

/** Returns the body and headers of a successor. */
function versionOf(object: StoredObject, headers: Readonly<Record<string, string>>, version: Successor) {
  const changed = { ...headers, ...version.headers };
  const kept = Object.entries(changed).filter((entry): entry is [string, string] => entry[1] !== null);
  return { body: applyEdits(object.body, version.edits ?? []), headers: Object.fromEntries(kept) };
}

function editsComplaint(edits: readonly Edit[], body: Uint8Array): string | undefined {
  let end = 0;
  for (const { offset, length } of edits) {
    if (offset < end || length < 0) return `an edit at ${offset} lies before the one before it ends`;
    end = offset + length;
    if (end > body.length) return `an edit ends at ${end}, the body at ${body.length}`;
  }
  return undefined;
}

/** Replaces an installation id in the template for unknown installations. */
const PLACEHOLDER = "{installationId}";

export interface ParsedBody {
  readonly complaint?: string;
  /** Undefined if it is not a JSON object. */
  readonly value?: Readonly<Record<string, unknown>>;
}

export function parseBody(kind: Kind, status: number, bytes: Uint8Array): ParsedBody {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value = fieldsOf(JSON.parse(responseText(kind, text)));
    const complaint = status === 200 ? schemaComplaint(kind, value) : errorComplaint(value);
    return complaint === undefined ? { value } : { value, complaint };
  } catch (error) {
    return { complaint: `it cannot be read: ${errorMessage(error)}` };
  }
}

/** Returns the response that a reader gets: a head's first page, or the template with an id. */
function responseText(kind: Kind, text: string): string {
  if (kind.is === "template") return text.replaceAll(PLACEHOLDER, "template");
  const head = kind.is === "head" ? decodeHead(text) : undefined;
  return head === undefined ? text : pageBody(head.opening, head.recent.slice(0, ACTIVITY_LIMIT.maximum), null);
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
  return typeof value.error === "string" ? undefined : "it is not an error of the API";
}

const count = z.number().int().nonnegative();
const bits64 = z.string().regex(/^[A-Za-z0-9_-]{11}$/);

const sourceVersionSchema = z.strictObject({
  at: count,
  of: bits64.optional(),
  log: z.number().int().positive().optional(),
  keys: z
    .string()
    .regex(/^[0-9a-f]{8}(?:,[0-9a-f]{8})*$/)
    .optional(),
  size: count.optional(),
  root: z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/)
    .optional(),
  position: count.optional(),
  safeBlock: z
    .string()
    .regex(/^(0|[1-9]\d*)$/)
    .optional(),
  safeHash: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .optional(),
  chain: bits64.optional(),
  program: z.string().min(1).optional(),
});

export interface Writer {
  readonly epoch: number;
  readonly sourceVersion: SourceVersion;
}

/** Returns the writer of an object, or a complaint about its metadata. */
export function writerOf({ metadata }: StoredObject): Writer | string {
  const { epoch = "", writer = "", "source-version": sourceVersion = "" } = metadata;
  if (!/^[1-9]\d{0,14}$/.test(epoch)) return `its epoch is ${JSON.stringify(epoch)}`;
  if (writer === "") return "it names no writer";
  try {
    const parsed = sourceVersionSchema.safeParse(JSON.parse(sourceVersion));
    const issue = parsed.error?.issues[0];
    if (issue !== undefined) return `source version ${issue.path.join(".")}: ${issue.message}`;
    return { epoch: Number(epoch), sourceVersion: parsed.data as SourceVersion };
  } catch {
    return "its source version is not JSON";
  }
}

export interface ObservationFacts {
  readonly positions: number;
  /** Undefined if the tile is valid. */
  readonly complaint: string | undefined;
}

export function judgeObservationTile(
  { installationId, tile }: ObservationTile,
  object: StoredObject,
): ObservationFacts {
  const lines = new TextDecoder().decode(object.body).split("\n");
  const first = tile * TILE_SIZE + 1;
  for (const [index, line] of lines.entries()) {
    const item = observationOf(line);
    const complaint =
      typeof item === "string"
        ? item
        : item.installationId !== installationId
          ? `it is of ${item.installationId}`
          : decodeObservationCursor(item.cursor) !== first + index
            ? `its cursor is not that of position ${first + index}`
            : undefined;
    if (complaint !== undefined) return { positions: lines.length, complaint: `line ${index + 1}: ${complaint}` };
  }
  const complaint = lines.length > TILE_SIZE ? `it has ${lines.length} positions` : undefined;
  return { positions: lines.length, complaint };
}

function observationOf(line: string) {
  try {
    const { data, error } = observationSchema.safeParse(JSON.parse(line));
    return data ?? `${error?.issues[0]?.path.join(".")}: ${error?.issues[0]?.message}`;
  } catch {
    return "it is not JSON";
  }
}

/** A tile's name is a hash. */
const NAME = /^[A-Za-z0-9_-]{22}$/;

export interface ActivityTileFacts {
  readonly complaint: string | undefined;
  /** Key of the newest event; for an index tile, the name of its newest tile. */
  readonly first: string;
  /** Key of the oldest event. */
  readonly last: string;
  /** Number of events or tiles. */
  readonly count: number;
  /** For an index tile: its entries, newest first. */
  readonly entries?: readonly TileEntry[];
}

export function judgeActivityTile(name: string, object: StoredObject): ActivityTileFacts {
  const text = new TextDecoder().decode(object.body);
  const wrongName = NAME.test(name)
    ? name === hashOf(text)
      ? undefined
      : "the hash in its name is not that of its bytes"
    : "its name is not that of a tile";
  const isIndex = NAME.test(text.slice(0, Math.max(0, text.indexOf("\t"))));
  const facts = isIndex ? indexFacts(text) : eventFacts(text);
  return { ...facts, complaint: wrongName ?? facts.complaint };
}

/** Checks the event lines of a tile or a head, which are ordered newest first. */
export function eventsComplaint(events: readonly EventLine[]): string | undefined {
  for (const [index, { key, text }] of events.entries()) {
    const newer = events[index - 1]?.key;
    const complaint =
      newer !== undefined && newer <= key ? "it is not older than the one before" : eventComplaint(key, text);
    if (complaint !== undefined) return `event ${index + 1}: ${complaint}`;
  }
  return undefined;
}

function eventFacts(text: string): ActivityTileFacts {
  const events = decodeTile(text);
  const [first, last] = [events[0]?.key ?? "", events.at(-1)?.key ?? ""];
  return { complaint: eventsComplaint(events), first, last, count: events.length };
}

function indexFacts(text: string): ActivityTileFacts {
  const entries = decodeIndexTile(text);
  const wrong = entries.findIndex(({ name, last }, index) => {
    const newer = entries[index - 1]?.last;
    return !NAME.test(name) || !isActivityKey(last) || (newer !== undefined && newer <= last);
  });
  const complaint = wrong === -1 ? undefined : `line ${wrong + 1} is not older than the tile before it`;
  return { complaint, first: entries[0]?.name ?? "", last: entries.at(-1)?.last ?? "", count: entries.length, entries };
}

function eventComplaint(key: string, text: string): string | undefined {
  if (!isActivityKey(key)) return "its key is not that of an event";
  try {
    const { data, error } = activityEventSchema.safeParse(JSON.parse(text));
    if (data === undefined) return `${error?.issues[0]?.path.join(".")}: ${error?.issues[0]?.message}`;
    const instant = chainEventKey(Date.parse(data.occurredAt), { blockNumber: 0n, transactionIndex: 0, logIndex: 0 });
    return key.slice(0, 15) === instant.slice(0, 15) ? undefined : "its key is of another instant";
  } catch {
    return "it is not JSON";
  }
}

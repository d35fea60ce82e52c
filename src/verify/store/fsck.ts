/**
 * `noonmark fsck`: every object that the publisher says it has put is there, is whole and follows its contract; the log has the
 * root of its checkpoint; the observations are its receipts; nothing foreign is below the prefix. It repairs nothing.
 */
import { type InstallationIndex, parseIndex } from "../../http/installations.ts";
import {
  constantKey,
  INSTALLATIONS_KEY,
  isLogKey,
  isProbeKey,
  PRIVATE_PREFIX,
  PRIVATE_STATUS_KEY,
  STANDBY_KEY,
  STATUS_KEY,
} from "../../http/keys.ts";
import { PATH_PARAMETERS } from "../../http/route.ts";
import { applyEdits } from "../../http/successor.ts";
import { keyFault } from "../../object-store/check-object.ts";
import type { ObjectStore, StoredObject } from "../../object-store/object-store.ts";
import { decodeResponse, JSON_TYPE, type StoredResponse } from "../../object-store/stored-response.ts";
import {
  ACTIVITY_LIMIT,
  activityKey,
  activityTileKey,
  CATEGORIES,
  type Category,
  parseActivityTileKey,
} from "../../resources/activity/route.ts";
import { decodeHead, decodeIndexTile, decodeTile, pageBody } from "../../resources/activity/stored-feed.ts";
import { hashOf } from "../../resources/activity/tiles.ts";
import { revisionOf } from "../../resources/built.ts";
import { matchKey, matchPath, RESPONSE_KEYS } from "../../resources/find.ts";
import { parseObservationTileKey } from "../../resources/observations/route.ts";
import { ONCHAIN_KEY } from "../../resources/onchain/route.ts";
import type { PublicRecord } from "../../resources/publication-status/public-record.ts";
import { ASSETS_PREFIX, SITE_PREFIX } from "../../resources/site/route.ts";
import { FILES, type NamedFile, ROUTES, type RouteName } from "../../resources/table.ts";
import {
  installationTelemetryKey,
  parseInstallationTelemetryKey,
  UNKNOWN_TELEMETRY_KEY,
} from "../../resources/telemetry/route.ts";
import { FUTURE_ALLOWANCE_MS } from "../../values/freshness.ts";
import { printable } from "../../values/printable.ts";
import { fieldsOf } from "../../values/unknown.ts";
import { bodyComplaint } from "../body.ts";
import { judgeLog, logOf, type StoredLog } from "./log.ts";
import { inParallel, Pass, type StoreFinding } from "./pass.ts";

export interface FsckReport {
  readonly objects: number;
  readonly findings: readonly StoreFinding[];
}

/** Checks a store as of `now` (epoch ms). A second pass confirms the findings, because a publisher may write at the same time. */
export async function fsck(store: ObjectStore, now: number): Promise<FsckReport> {
  const first = await onePass(store, now);
  if (first.findings.length === 0) return first;
  const again = await onePass(store, now);
  const before = new Set(first.findings.map(({ what, key }) => `${what} ${key}`));
  return { ...again, findings: again.findings.filter(({ what, key }) => before.has(`${what} ${key}`)) };
}

async function onePass(store: ObjectStore, now: number): Promise<FsckReport> {
  const pass = new Pass(store, now);
  await pass.list();
  if (pass.keys.size > 0) await judgeObjects(pass);
  for (const key of pass.keys) {
    const fault = keyFault(key);
    if (fault !== undefined) pass.add("foreign", key, `no publisher can write this key: it ${fault}`);
    else if (!pass.isExpected(key) && !isLeftOver(key)) pass.add("foreign", key, "no object of the publisher names it");
  }
  return { objects: pass.keys.size, findings: pass.findings };
}

/** No reader gets these: a standby's report, a probe, replaced files of a log, and tiles and assets that are deleted later. */
function isLeftOver(key: string): boolean {
  if (key === STANDBY_KEY || key === PRIVATE_STATUS_KEY || isProbeKey(key) || CONSTANTS.has(key)) return true;
  if (isLogKey(key)) return matchKey(withoutPrivate(key)) !== undefined;
  const name = parseActivityTileKey(key)?.name;
  // A corrected installation id leaves telemetry under its own key.
  const isOwn = parseInstallationTelemetryKey(key) !== undefined;
  const isTile = isOwn || (name !== undefined && NAME.test(name)) || parseObservationTileKey(key) !== undefined;
  return isTile || (key.startsWith(ASSETS_PREFIX) && ASSET.test(key));
}

function withoutPrivate(key: string): string {
  return key.startsWith(PRIVATE_PREFIX) ? key.slice(PRIVATE_PREFIX.length) : key;
}

/** The hash of a tile, and the form of an asset's name. */
const NAME = /^[A-Za-z0-9_-]{22}$/;
const ASSET = new RegExp(`assets/${PATH_PARAMETERS.asset}$`);

const CONSTANTS: ReadonlyMap<string, RouteName> = new Map([
  [constantKey(ONCHAIN_KEY), "onchain"],
  ...CATEGORIES.map((category) => [constantKey(activityKey(category)), "activity"] as const),
]);

/** The objects that the publisher says it has put. */
interface Published {
  readonly epoch: number;
  /** True if a cycle has ended. A first one may have been killed before it had put everything. */
  readonly isWhole: boolean;
  /** By URL; undefined if it does not say. */
  readonly responses: PublicRecord["responses"] | undefined;
  readonly index: InstallationIndex | undefined;
  readonly log: StoredLog | undefined;
}

/** Reads what the publisher says it has put: the lease, the index, and the checkpoint of the log. */
async function published(pass: Pass): Promise<Published> {
  const lease = await pass.judged(STATUS_KEY, ({ metadata }, text) => {
    const { epoch, holder, lastCycleAt, public: record } = fieldsOf(JSON.parse(text));
    if (typeof epoch !== "number" || typeof holder !== "string") return "it is not a lease";
    if (metadata.epoch !== String(epoch) || metadata.writer !== holder) return "its metadata name another holder";
    const { responses } = fieldsOf(record);
    return { epoch, isWhole: lastCycleAt !== null, responses: responses as PublicRecord["responses"] | undefined };
  });
  const { epoch = Number.POSITIVE_INFINITY, isWhole = true, responses } = lease ?? {};
  const base = { epoch, isWhole, responses };
  if (!isWhole && !pass.keys.has(INSTALLATIONS_KEY)) return { ...base, index: undefined, log: undefined };
  const index = await pass.judged(INSTALLATIONS_KEY, (_, text) => {
    const found = parseIndex(text);
    return found.installations.has(found.configured) ? found : `it does not list ${found.configured}`;
  });
  return { ...base, index, log: index && (await logOf(pass, index.log)) };
}

async function judgeObjects(pass: Pass): Promise<void> {
  const put = await published(pass);
  const { index, log } = put;
  const id = index?.configured;
  const of = (route: RouteName, installationId?: string): Of => ({ route, installationId, put, now: pass.now });
  // Before the end of the first cycle, what is not stored may not have been put yet.
  const isWanted = (key: string) => put.isWhole || pass.keys.has(key);
  const wanted = RESPONSE_KEYS.filter(([url, key]) => pass.keys.has(key) || put.responses?.[url] !== undefined);
  const responses = wanted.map(([url, key]) => () => {
    const row = matchPath(url.split("?")[0] ?? "")?.row;
    const route = ROUTES.find(({ name }) => name === row?.name)?.name ?? "telemetry";
    return judgeResponse(pass, key, of(route, id), put.responses?.[url]);
  });
  const others = [...(index?.installations ?? [])].filter((other) => other !== id);
  const telemetry = others.map(
    (other) => () => judgeResponse(pass, installationTelemetryKey(other), of("telemetry", other)),
  );
  const constants = [...CONSTANTS].map(([key, route]) => async () => {
    if (pass.keys.has(key)) await judgeResponse(pass, key, of(route));
  });
  const template = async () => {
    if (isWanted(UNKNOWN_TELEMETRY_KEY)) await judgeResponse(pass, UNKNOWN_TELEMETRY_KEY, of("telemetry", PLACEHOLDER));
  };
  const heads = CATEGORIES.filter((category) => wanted.some(([, key]) => key === activityKey(category)));
  const activities = heads.map((category) => () => judgeActivity(pass, category));
  const hasSite = [...pass.keys].some((key) => key.startsWith(SITE_PREFIX));
  const rows = FILES.flatMap((row) => row.objects.map(({ key }) => ({ row, key })));
  const files = rows
    .filter(({ key }) => hasSite && isWanted(key))
    .map(
      ({ row, key }) =>
        () =>
          judgeFile(pass, key, row),
    );
  const work = [...responses, ...telemetry, ...constants, template, ...activities, ...files];
  await inParallel(work, (one) => one());
  if (pass.keys.has(PRIVATE_STATUS_KEY)) await pass.judged(PRIVATE_STATUS_KEY, (_, text) => fieldsOf(JSON.parse(text)));
  if (log !== undefined) await judgeLog(pass, log);
}

/** Replaces an installation id in the template for unknown installations. */
const PLACEHOLDER = "{installationId}";

/** The response of a route that an object holds. */
interface Of {
  readonly route: RouteName;
  /** Undefined if any installation is right. */
  readonly installationId: string | undefined;
  readonly put: Published;
  readonly now: number;
}

async function judgeResponse(
  pass: Pass,
  key: string,
  of: Of,
  record?: PublicRecord["responses"][string],
): Promise<void> {
  const response = await pass.judged(key, (object) => responseOf(object, of));
  if (response === undefined) return;
  const { at, position, size = 0 } = response.writerMetadata.sourceVersion;
  of.put.log?.sizes.set(key, size);
  if (of.route === "telemetry" && position !== undefined)
    of.put.log?.newest.set(of.installationId ?? "", { key, position });
  if (record !== undefined && at < Date.parse(record.asOf)) {
    pass.add("wrong", key, `it is of ${new Date(at).toISOString()}, and one of ${record.asOf} was put`);
  }
  for (const { key: constant } of response.successors) {
    if (constant !== undefined && !pass.keys.has(constant)) pass.add("missing", constant, `${key} names it`);
  }
}

/** Returns what is wrong with a stored response, or the response. Throws if it cannot be decoded. */
function responseOf(object: StoredObject, { route, installationId, put, now }: Of): StoredResponse | string {
  if (object.contentType !== JSON_TYPE) return `its type is ${object.contentType}`;
  const response = decodeResponse(object);
  const { representation, successors, body, writerMetadata } = response;
  const { epoch, writer, sourceVersion } = writerMetadata;
  if (!(epoch >= 1 && epoch <= put.epoch) || writer === "")
    return `its epoch is ${epoch}, and the lease's ${put.epoch}`;
  if (sourceVersion.at > now + FUTURE_ALLOWANCE_MS) return `it is of ${new Date(sourceVersion.at).toISOString()}`;
  const instants = successors.map(({ from }) => from);
  const isAscending = instants.every((from, at) => at === 0 || from > (instants[at - 1] ?? 0));
  if (!isAscending || object.metadata["valid-until"] !== instants[0]?.toString())
    return "its successors are out of order";
  const versions = [
    { from: undefined, bytes: body, headers: representation.headers },
    ...successors
      .filter(({ key }) => key === undefined)
      .map(({ from, edits = [], headers = {} }) => ({
        from,
        bytes: applyEdits(body, edits),
        headers: { ...representation.headers, ...headers },
      })),
  ];
  for (const { from, bytes, headers } of versions) {
    const then = from === undefined ? "" : `as of ${new Date(from).toISOString()}: `;
    const value = valueOf(route, new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const complaint = valueComplaint(route, representation.status, value);
    if (complaint !== undefined) return `${then}${complaint}`;
    const id = value.installationId;
    if (installationId !== undefined && id !== undefined && id !== installationId)
      return `${then}it is of ${String(id)}`;
    const { revision } = value;
    const tag = typeof revision === "string" ? `"${revision}"` : undefined;
    const isTagged = revision === undefined || (headers.etag ?? undefined) === tag;
    if (!isTagged) return `${then}its ETag is ${headers.etag}, its revision ${String(revision)}`;
  }
  return response;
}

/** Returns the body that a reader gets: of a head of activity the first page. */
function valueOf(route: RouteName, text: string): Readonly<Record<string, unknown>> {
  const head = route === "activity" ? decodeHead(text) : undefined;
  const page = head && pageBody(head.opening, head.recent.slice(0, ACTIVITY_LIMIT.maximum), null);
  return fieldsOf(JSON.parse(page ?? text));
}

function valueComplaint(
  route: RouteName,
  status: number,
  value: Readonly<Record<string, unknown>>,
): string | undefined {
  if (status !== 200) return typeof value.error === "string" ? undefined : "it is not an error of the API";
  const isTemplate = value.installationId === PLACEHOLDER;
  const complaint = bodyComplaint(route, isTemplate ? { ...value, installationId: "template" } : value);
  return complaint && `expected ${complaint.expected}, seen ${complaint.seen}`;
}

/** A tile is named by the hash of its bytes. So the head, by the names in it, vouches for all older events. */
async function judgeActivity(pass: Pass, category: Category): Promise<void> {
  const key = activityKey(category);
  const head = await pass.judged(key, (_, text) => ({ found: decodeHead(text) }));
  const { opening, tiles, indexes } = head?.found ?? { opening: "", tiles: [], indexes: [] };
  const named = (name: string, judge: (text: string) => string | undefined) => {
    const tileKey = activityTileKey(category, name);
    const isNamed = (text: string) => (hashOf(text) === name ? judge(text) : "its name is not the hash of its bytes");
    return pass.judged(tileKey, (object, text) => isNamed(text) ?? object);
  };
  const eventTiles = tiles.map(({ name }) => name);
  await inParallel(indexes, async ({ name, first }) => {
    const isIndex = (text: string) =>
      decodeIndexTile(text)[0]?.name === first.name ? undefined : `it does not begin with ${first.name}`;
    const object = await named(name, isIndex);
    const entries = object === undefined ? [] : decodeIndexTile(new TextDecoder().decode(object.body));
    eventTiles.push(...entries.map((entry) => entry.name));
  });
  await inParallel(eventTiles, (name) => named(name, (text) => eventsComplaint(opening, text)));
}

/** Judges the events of a tile as pages. */
function eventsComplaint(opening: string, text: string): string | undefined {
  const events = decodeTile(text);
  for (let at = 0; at < events.length; at += ACTIVITY_LIMIT.maximum) {
    const page = pageBody(opening, events.slice(at, at + ACTIVITY_LIMIT.maximum), null);
    const complaint = valueComplaint("activity", 200, fieldsOf(JSON.parse(page)));
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

async function judgeFile(pass: Pass, key: string, row: NamedFile | undefined): Promise<void> {
  const text = await pass.judged(key, (object, found) => {
    const type = row?.contentType ?? object.contentType;
    if (object.contentType !== type) return `its type is ${object.contentType}, and not ${type}`;
    const { etag } = decodeResponse(object).representation.headers;
    const tag = `"${revisionOf(found)}"`;
    return etag === tag ? { found } : `its ETag is ${etag}, and its bytes give ${tag}`;
  });
  if (text === undefined || row?.contentType?.startsWith("text/html") !== true) return;
  const assets = text.found.matchAll(new RegExp(`assets/${PATH_PARAMETERS.asset}`, "g"));
  for (const name of new Set([...assets].map(([name]) => name))) await judgeFile(pass, SITE_PREFIX + name, undefined);
}

export function reportLines({ objects, findings }: FsckReport): string[] {
  // A key has up to 1,024 bytes. It is printed completely, so that it can be searched for.
  const lines = findings.map(({ what, key, says }) => `FAIL ${what} ${printable(key, 1_024)}: ${printable(says)}`);
  return [...lines, `${objects} objects, ${findings.length} findings`];
}

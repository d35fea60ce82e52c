/**
 * `noonmark fsck`: every object that the publisher's head names is there, is what was put and follows its contract; the
 * log has the root of the head; the observations are its receipts; nothing foreign is below the prefix. It repairs
 * nothing.
 */
import { parseIndex } from "../../http/installations.ts";
import { constantKey, HEAD_KEY, INSTALLATIONS_KEY, isLogKey, isProbeKey, PRIVATE_PREFIX } from "../../http/keys.ts";
import { PATH_PARAMETERS } from "../../http/route.ts";
import { applyEdits } from "../../http/successor.ts";
import { keyFault } from "../../object-store/check-object.ts";
import type { ObjectStore, StoredObject } from "../../object-store/object-store.ts";
import { sealOf } from "../../object-store/seal-node.ts";
import { decodeResponse, JSON_TYPE, type StoredResponse } from "../../object-store/stored-response.ts";
import {
  ACTIVITY_LIMIT,
  activityKey,
  activityTileKey,
  CATEGORIES,
  type Category,
  parseActivityTileKey,
} from "../../resources/activity/route.ts";
import { decodeIndexTile, decodeRoot, decodeTile, pageBody } from "../../resources/activity/stored-activity.ts";
import { hashOf } from "../../resources/activity/tiles.ts";
import { revisionOf } from "../../resources/built.ts";
import { matchKey, matchPath, RESPONSE_KEYS } from "../../resources/find.ts";
import { parseObservationTileKey } from "../../resources/observations/route.ts";
import { ONCHAIN_KEY } from "../../resources/onchain/route.ts";
import { ASSETS_PREFIX, SITE_PREFIX } from "../../resources/site/route.ts";
import { FILES, type NamedFile, ROUTES, type RouteName } from "../../resources/table.ts";
import {
  installationTelemetryKey,
  parseInstallationTelemetryKey,
  UNKNOWN_TELEMETRY_KEY,
} from "../../resources/telemetry/route.ts";
import { FUTURE_ALLOWANCE_MS } from "../../values/freshness.ts";
import { printable } from "../../values/printable.ts";
import { fieldsOf, isObject } from "../../values/unknown.ts";
import { bodyComplaint } from "../body.ts";
import { judgeLog, type StoredLog } from "./log.ts";
import { inParallel, Pass, type StoreFinding } from "./pass.ts";

export interface FsckReport {
  readonly objects: number;
  readonly findings: readonly StoreFinding[];
}

/** Checks a store as of `now` (epoch ms). A second pass confirms findings, because a publisher may be writing. */
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

/** No reader gets these: a probe, replaced files of a log, and tiles and assets that are deleted later. */
function isLeftOver(key: string): boolean {
  if (isProbeKey(key)) return true;
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

/** The route of which an object holds the response. */
const ROUTE_OF_KEY: ReadonlyMap<string, RouteName> = new Map([
  ...RESPONSE_KEYS.map(([url, key]) => {
    const row = matchPath(url.split("?")[0] ?? "")?.row;
    return [key, ROUTES.find(({ name }) => name === row?.name)?.name ?? "telemetry"] as const;
  }),
  [UNKNOWN_TELEMETRY_KEY, "telemetry"],
  [constantKey(ONCHAIN_KEY), "onchain"],
  ...CATEGORIES.map((category) => [constantKey(activityKey(category)), "activity"] as const),
]);
const FILE_OF_KEY: ReadonlyMap<string, NamedFile> = new Map(
  FILES.flatMap((row) => row.objects.map(({ key }) => [key, row] as const)),
);

/** The objects that the publisher's head lists. */
interface Published {
  /** By key: the seal of each object. */
  readonly responses: ReadonlyMap<string, string>;
  /** Keys that may not be put yet. */
  readonly unfinished: ReadonlySet<string>;
  /** True if the observations of every installation are put. */
  readonly isWhole: boolean;
  readonly log: StoredLog | undefined;
}

/** Throws if the text is no head. */
function publishedOf(text: string): Published {
  const { responses, unfinished, log } = fieldsOf(JSON.parse(text));
  const { keys, since, left } = fieldsOf(unfinished);
  const { size, root, form } = fieldsOf(log);
  if (!isObject(responses) || !Array.isArray(keys) || !Array.isArray(left)) throw new Error("it is not a head");
  if (typeof size !== "number" || typeof root !== "string" || (form !== "public" && form !== "private"))
    throw new Error("it names no log");
  return {
    responses: new Map(Object.entries(responses).map(([key, response]) => [key, String(fieldsOf(response).seal)])),
    unfinished: new Set(keys.map(String)),
    isWhole: Number(since) >= size && left.length === 0,
    // A log without facts has no files.
    log: size === 0 ? undefined : { form, size, root, newest: new Map() },
  };
}

async function judgeObjects(pass: Pass): Promise<void> {
  const put = await pass.judged(HEAD_KEY, (_, text) => publishedOf(text));
  if (put === undefined) return;
  const { responses, unfinished, log } = put;
  const index = responses.has(INSTALLATIONS_KEY)
    ? await pass.judged(
        INSTALLATIONS_KEY,
        (object, text) => sealFault(INSTALLATIONS_KEY, object, put) ?? parseIndex(text),
      )
    : undefined;
  const id = index?.configured;
  const of = (route: RouteName, installationId?: string): Of => ({ route, installationId, put, now: pass.now });
  const isWanted = (key: string) => pass.keys.has(key) || !unfinished.has(key);
  const named = [...responses.keys()].filter((key) => isWanted(key) && key !== INSTALLATIONS_KEY);
  const others = [...(index?.installations ?? [])].filter((other) => other !== id);
  const work = [
    ...named.map((key) => () => judgeNamed(pass, key, of, id)),
    ...others.map((other) => async () => {
      const key = installationTelemetryKey(other);
      if (put.isWhole || pass.keys.has(key)) await judgeResponse(pass, key, of("telemetry", other));
    }),
    ...CATEGORIES.filter((category) => named.includes(activityKey(category))).map(
      (category) => () => judgeActivity(pass, category),
    ),
  ];
  await inParallel(work, (one) => one());
  if (log !== undefined) await judgeLog(pass, log);
}

/** Judges an object that the head names. */
async function judgeNamed(
  pass: Pass,
  key: string,
  of: (route: RouteName, installationId?: string) => Of,
  configured: string | undefined,
): Promise<void> {
  const route = ROUTE_OF_KEY.get(key);
  const file = FILE_OF_KEY.get(key);
  if (key === UNKNOWN_TELEMETRY_KEY) await judgeResponse(pass, key, of("telemetry", PLACEHOLDER));
  else if (route !== undefined) await judgeResponse(pass, key, of(route, configured));
  else if (file !== undefined) await judgeFile(pass, key, file, of("telemetry").put);
  else await pass.judged(key, (object) => sealFault(key, object, of("telemetry").put) ?? object);
}

/** Says that a whole object is not the one that was put last. */
function sealFault(key: string, object: StoredObject, { responses, unfinished }: Published): string | undefined {
  const seal = responses.get(key);
  return seal === undefined || unfinished.has(key) || sealOf(object) === seal
    ? undefined
    : "it is not what the publisher has put last";
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

async function judgeResponse(pass: Pass, key: string, of: Of): Promise<void> {
  const response = await pass.judged(key, (object) => sealFault(key, object, of.put) ?? responseOf(object, of));
  if (response === undefined) return;
  const { position } = response;
  if (of.route === "telemetry" && position !== undefined)
    of.put.log?.newest.set(of.installationId ?? "", { key, position });
  for (const { key: constant } of response.successors) {
    if (constant !== undefined && !pass.keys.has(constant)) pass.add("missing", constant, `${key} names it`);
  }
}

/** Returns what is wrong with a stored response, or the response. Throws if it cannot be decoded. */
function responseOf(object: StoredObject, { route, installationId, now }: Of): StoredResponse | string {
  if (object.contentType !== JSON_TYPE) return `its type is ${object.contentType}`;
  const response = decodeResponse(object);
  const { representation, successors, body, at } = response;
  if (at > now + FUTURE_ALLOWANCE_MS) return `it is of ${new Date(at).toISOString()}`;
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
  const root = route === "activity" ? decodeRoot(text) : undefined;
  const page = root && pageBody(root.opening, root.recent.slice(0, ACTIVITY_LIMIT.maximum), null);
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

/** A tile is named by the hash of its bytes. So the root, by the names in it, vouches for all older events. */
async function judgeActivity(pass: Pass, category: Category): Promise<void> {
  const key = activityKey(category);
  const root = await pass.judged(key, (_, text) => ({ found: decodeRoot(text) }));
  const { opening, tiles, indexes } = root?.found ?? { opening: "", tiles: [], indexes: [] };
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

/** By the end of an asset's name. */
const ASSET_TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

async function judgeFile(pass: Pass, key: string, row: NamedFile | undefined, put: Published): Promise<void> {
  const text = await pass.judged(key, (object, found) => {
    const fault = sealFault(key, object, put);
    if (fault !== undefined) return fault;
    const type = row?.contentType ?? ASSET_TYPES[key.slice(key.lastIndexOf(".") + 1)] ?? object.contentType;
    if (object.contentType !== type) return `its type is ${object.contentType}, and not ${type}`;
    const { etag } = decodeResponse(object).representation.headers;
    const tag = `"${revisionOf(found)}"`;
    return etag === tag ? { found } : `its ETag is ${etag}, and its bytes give ${tag}`;
  });
  if (text === undefined || row?.contentType?.startsWith("text/html") !== true) return;
  const assets = text.found.matchAll(new RegExp(`assets/${PATH_PARAMETERS.asset}`, "g"));
  for (const name of new Set([...assets].map(([name]) => name)))
    await judgeFile(pass, SITE_PREFIX + name, undefined, put);
}

export function reportLines({ objects, findings }: FsckReport): string[] {
  // A key has up to 1,024 bytes. It is printed completely, so that it can be searched for.
  const lines = findings.map(({ what, key, says }) => `FAIL ${what} ${printable(key, 1_024)}: ${printable(says)}`);
  return [...lines, `${objects} objects, ${findings.length} findings`];
}

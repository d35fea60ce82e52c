/**
 * Plans one step of a cycle (docs/spec/publishing.md#the-cycle) in one transaction: everything that it puts, as values,
 * from the sources, the head and what the process remembers. A plan only reads.
 */
import { checkpointKey, INSTALLATIONS_KEY, logPrefix } from "../../src/http/keys.ts";
import { loggedPosition } from "../../src/ledger/intake/stream-position.ts";
import { type LogPoint, logPoint } from "../../src/ledger/log.ts";
import {
  installationRowId,
  lastInstallationRowId,
  listInstallations,
  readWatermarks,
} from "../../src/ledger/watermarks.ts";
import type { Signer } from "../../src/log/signer.ts";
import type { StoreTag } from "../../src/object-store/object-store.ts";
import { sealOf } from "../../src/object-store/seal-node.ts";
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { telemetryPublication, unknownTelemetryPublication } from "../../src/resources/telemetry/publication.ts";
import { TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import { Failure } from "../../src/values/failure.ts";
import { type Agenda, earlier } from "../agenda.ts";
import { type Head, type PublishedResponse, RETIRED_LIMIT } from "../head/head.ts";
import type { Put } from "../put.ts";
import { failedRow, unknownInstallation } from "../report.ts";
import { type Finished, type InstallationPlan, indexOf, planInstallations } from "./installations.ts";
import { checkpointPut, formOf, keysOf, PARTIAL_KEPT_MS } from "./log.ts";
import { decide, planResponses, type ResponsePlan } from "./responses.ts";
import { type ChainCheck, ledgerRegression, nextChain } from "./sources.ts";
import { futureOf, responseObject } from "./successors.ts";
import { planTileSets, type TileSetPlan } from "./tile-sets.ts";

/** The memory of a process between cycles. All of it may be lost. */
export class Memory {
  readonly finished = new Map<number, Finished>();
  /** Tags of the objects of other installations. */
  readonly tags = new Map<string, StoreTag>();
  readonly retries = new Map<string, number>();
  /** Stored settlement bodies, by key. */
  readonly histories = new Map<string, string>();
  readonly names = new Map<string, ReadonlySet<string>>();
  /** Hashes of published blocks as the nodes gave them: null if every node was silent. */
  readonly blocks = new Map<string, string | null>();
  /** The fork in the chain's file of which `blocks` are. */
  chainHistory = "";
  /** Keys that nothing refers to, and until when (epoch ms) they are kept, while `retired` is full. */
  dropped: (readonly [string, number])[] = [];
}

/** `PublisherOptions` (publisher.ts) explains the fields. */
export interface StepOptions {
  readonly publications: readonly Publication[];
  readonly signers: readonly Signer[];
  readonly program: string;
  readonly force: boolean;
  readonly minimumPutInterval: number;
}

/** Everything that one step does, as values. */
export interface StepPlan {
  readonly refused: Failure | undefined;
  readonly chain: ChainCheck;
  /** The ledger's log in the plan's transaction; the head's if the ledger is refused, or there is none. */
  readonly log: LogPoint;
  readonly responses: ResponsePlan;
  readonly tiles: TileSetPlan;
  readonly installations: InstallationPlan;
  /** The head's entries of the index and the checkpoint after their puts. */
  readonly own: Readonly<Record<string, PublishedResponse>>;
  readonly listed: number;
  readonly puts: readonly Put[];
  readonly nextChain: Head["chain"];
  readonly stream: Head["stream"];
  /** For `retired`: those that fit, and the rest. */
  readonly retired: Head["retired"];
  readonly rest: (readonly [string, number])[];
  readonly changesHead: boolean;
  readonly hasMore: boolean;
  readonly installationCount: number;
  readonly warnings: readonly Failure[];
}

/** The inputs of a plan, besides a snapshot of the sources. A plan only reads them. */
interface StepPlanning {
  readonly head: Head;
  readonly chain: ChainCheck;
  /** Why nothing may be computed from facts. */
  readonly refused: Failure | undefined;
  readonly memory: Memory;
  readonly agenda: Pick<Agenda, "buildableAt">;
  readonly options: StepOptions;
  /** Epoch ms. */
  readonly at: number;
}

/** Undefined if a source was replaced since it was checked. */
export function planStep(given: Snapshot, planning: StepPlanning): StepPlan | undefined {
  const { head, refused, at } = planning;
  const { signers, minimumPutInterval } = planning.options;
  if (refused === undefined && ledgerRegression(given.ledger, head.log) !== undefined) return undefined;
  const genesis = head.chain?.genesisTimestamp;
  const snapshot = {
    ...given,
    genesisTimestamp: given.genesisTimestamp ?? (genesis == null ? undefined : BigInt(genesis)),
  };
  const { ledger } = snapshot;
  const log = refused !== undefined || ledger === undefined ? head.log : logPoint(ledger);
  const step = planAt(log, snapshot, planning);
  // Entries that no response needs now wait as long as other keys.
  const committedAt = head.responses[checkpointKey(formOf(signers))]?.asOf ?? 0;
  const needsEntries = step.puts.some(({ wave }) => wave !== "checkpoint");
  if (needsEntries || log.size === head.log.size || committedAt + minimumPutInterval <= at) return step;
  const { size, root } = head.log;
  const wakeAt = committedAt + minimumPutInterval;
  const installations = {
    ...step.installations,
    unfinished: head.unfinished,
    wakeAt: earlier(step.installations.wakeAt, wakeAt),
  };
  return { ...step, installations, log: { size, root }, puts: [], own: {}, stream: head.stream, changesHead: false };
}

function planAt(
  log: LogPoint,
  snapshot: Snapshot,
  { head, chain, refused, memory, agenda, options, at }: StepPlanning,
): StepPlan {
  const { program, force, minimumPutInterval, signers } = options;
  const { ledger, installationId: configured } = snapshot;
  const rowId = ledger && installationRowId(ledger, configured);
  const position = ledger === undefined || rowId === undefined ? 0 : readWatermarks(ledger, rowId).receipt;
  const planning = {
    snapshot: refused === undefined ? snapshot : { ...snapshot, ledger: undefined },
    head,
    memory,
    configured,
    at,
    size: log.size,
    minimumPutInterval,
  };
  const first = planInstallations({ ...planning, isConfiguredUrgent: false });
  const publications = [unknownTelemetryPublication, telemetryPublication(configured, true), ...options.publications];
  // Telemetry says where the observations end, so the responses wait for the last tile of a bulk.
  const planned = first.isConfiguredWhole
    ? planResponses({
        snapshot,
        head,
        publications,
        agenda,
        ledgerRefused: refused,
        chain,
        histories: memory.histories,
        at,
        logSize: log.size,
        position,
        program,
        force,
      })
    : NO_RESPONSES;
  const tiles = planTileSets(planned.responses, snapshot, memory.names, { at, force });
  const responses = withoutFailed(planned, tiles.failed);
  const isUrgent = first.isConfiguredWaiting && responses.responses.some(({ put }) => put?.key === TELEMETRY_KEY);
  const installations = isUrgent ? planInstallations({ ...planning, isConfiguredUrgent: true }) : first;
  const index = planIndex(snapshot, installations.through, { head, options, at });
  const checkpoint = planCheckpoint(log, { head, options, at });
  const own = { ...index?.published, ...checkpoint?.published };
  const tilesOfConfigured = installations.puts.flatMap(({ key }) =>
    installations.owners.get(key) === configured ? key : [],
  );
  const responsePuts = responses.responses.flatMap(({ put }) => {
    if (put === undefined) return [];
    const before = put.key === TELEMETRY_KEY ? tilesOfConfigured : (tiles.after.get(put.key) ?? []);
    return { ...put, after: [...(put.after ?? []), ...before] };
  });
  const puts = [
    ...(checkpoint === undefined ? [] : [checkpoint.put]),
    ...(index?.put === undefined ? [] : [index.put]),
    ...tiles.puts.values(),
    ...installations.puts,
    ...responsePuts,
  ];
  // A log that becomes public was copied.
  const former = head.log.form === "private" && formOf(signers) === "public" && head.log.size > 0;
  const abandoned = former ? [[logPrefix("private"), at + PARTIAL_KEPT_MS] as const] : [];
  const dropped = [...memory.dropped, ...tiles.dropped, ...abandoned].filter(
    ([key]) => !puts.some((put) => put.key === key),
  );
  const room = Math.max(0, RETIRED_LIMIT - head.retired.length);
  const isMoved = isDifferent(head.unfinished, installations.unfinished);
  return {
    refused,
    chain,
    log,
    responses,
    tiles,
    installations,
    own,
    listed: index?.listed ?? head.listed,
    puts,
    nextChain: nextChain(head.chain, snapshot, chain),
    stream: refused === undefined && ledger !== undefined ? (loggedPosition(ledger) ?? null) : head.stream,
    retired: dropped.slice(0, room).map(([key, until]) => [key, until]),
    rest: dropped.slice(room),
    changesHead:
      puts.length > 0 ||
      (index?.listed ?? head.listed) !== head.listed ||
      log.size !== head.log.size ||
      isMoved ||
      dropped.length > 0,
    hasMore: installations.hasMore || (index?.isFirst === true && installations.through > 0),
    installationCount: ledger === undefined ? 0 : lastInstallationRowId(ledger),
    warnings: warningsOf(snapshot),
  };
}

type Unfinished = Omit<Head["unfinished"], "keys">;

function isDifferent(one: Unfinished, other: Unfinished): boolean {
  const textOf = ({ since, until, through, left }: Unfinished) => JSON.stringify([since, until, through, left]);
  return textOf(one) !== textOf(other);
}

/** A response whose tiles cannot be put fails with them. */
function withoutFailed({ responses, failed, waits }: ResponsePlan, faults: TileSetPlan["failed"]): ResponsePlan {
  if (faults.size === 0) return { responses, failed, waits };
  const more = responses.flatMap(({ publication, inputs }) => {
    const { key } = publication;
    return faults.has(key) ? [{ key, inputs, row: failedRow(publication, faults.get(key)) }] : [];
  });
  return {
    responses: responses.filter(({ publication }) => !faults.has(publication.key)),
    failed: [...failed, ...more],
    waits,
  };
}

const NO_RESPONSES: ResponsePlan = { responses: [], failed: [], waits: [] };

/** The inputs of the plans of the index and the checkpoint. */
type OwnPlanning = Pick<StepPlanning, "head" | "options" | "at">;

interface OwnPut {
  readonly put: Put;
  readonly published: Readonly<Record<string, PublishedResponse>>;
}

interface IndexPlan extends Partial<OwnPut> {
  /** The row of the last installation that the index lists. */
  readonly listed: number;
  readonly isFirst: boolean;
}

/** The index goes first to an empty prefix, and otherwise after the objects of the installations that it adds. */
function planIndex(snapshot: Snapshot, through: number, { head, options, at }: OwnPlanning): IndexPlan | undefined {
  const { program, force, minimumPutInterval } = options;
  const before = head.responses[INSTALLATIONS_KEY];
  const isFirst = before === undefined;
  // Not all installations that it lists are stored yet.
  if (!isFirst && through < head.listed) return undefined;
  const listed = isFirst ? head.listed : Math.max(head.listed, through);
  const isUnfinished = head.unfinished.keys.includes(INSTALLATIONS_KEY);
  if (!isFirst && !force && !isUnfinished && listed === head.listed) return undefined;
  if (!isFirst && !force && !isUnfinished && before.asOf + minimumPutInterval > at) return undefined;
  const publication = indexOf(snapshot, listed);
  const build = (instant: number) => publication.build(snapshot, instant);
  const facts = { published: before, at, force, isUnfinished, isNewer: false, isChainUndecided: false };
  const decision = decide(build, facts);
  // The configured installation is listed in any case.
  if (!decision.put) return { listed, isFirst };
  const { object, states } = responseObject(futureOf(build, at, decision.fresh), at);
  const { key, resource } = publication;
  const wave = isFirst ? "first-index" : "index";
  const report = { why: decision.why, action: isFirst ? "created" : "updated", status: 200, etag: null } as const;
  const put: Put = { key, resource, wave, object, replaces: isFirst ? null : (before.tag ?? undefined), ...report };
  return { put, published: { [key]: ownResponse(put, states, at, program) }, listed, isFirst };
}

function planCheckpoint(log: LogPoint, { head, options, at }: OwnPlanning): OwnPut | undefined {
  const { signers, program, force } = options;
  const key = checkpointKey(formOf(signers));
  const before = head.responses[key];
  const isSame = head.log.size === log.size && head.log.keys.join() === keysOf(signers).join();
  const isNeeded = log.size > 0 && (before === undefined || !isSame || head.unfinished.keys.includes(key) || force);
  if (!isNeeded) return undefined;
  const put = checkpointPut(log, signers, before === undefined ? null : (before.tag ?? undefined));
  return { put, published: { [key]: ownResponse(put, [], at, program) } };
}

function ownResponse({ object, status, etag }: Put, states: PublishedResponse["states"], at: number, program: string) {
  const none = { tag: null, logSize: null, safeBlock: null, binding: null };
  return { ...none, states, seal: sealOf(object), status, etag, asOf: at, program };
}

function warningsOf({ ledger, installationId }: Snapshot): Failure[] {
  if (ledger === undefined || installationRowId(ledger, installationId) !== undefined) return [];
  return [
    unknownInstallation(
      installationId,
      listInstallations(ledger).map(({ id }) => id),
    ),
  ];
}

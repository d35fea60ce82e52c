/** The answers of one cycle: which to build, what came of it, and putting them under the lease. */
import type { ObjectStore, StoredObject } from "../../src/object-store/object-store.ts";
import { type Asof, decodeAnswer, encodeAnswer, encodeMark, JSON_TYPE } from "../../src/object-store/stored-answer.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { type Fence, fencedPut, Superseded } from "../lease/fenced-put.ts";
import type { ReportRow } from "../report.ts";
import type { Sources } from "../sources/sources.ts";
import type { Published, PublishedObject } from "../state/published.ts";
import { type Decision, decide } from "./decide.ts";
import type { Publication } from "./publication.ts";

/** What is known of a publication since this process began. */
interface Memo {
  readonly inputs: string;
  readonly minorInputs: string;
  /** Epoch ms; as long ago as can be where nothing good could be built, so that the next news are not kept waiting. */
  readonly builtAt: number;
  /** Built again then, though no input moved. */
  readonly dueAt: number | undefined;
}

export interface PlannedAnswer {
  readonly publication: Publication;
  readonly sources: Sources;
  readonly at: number;
  readonly asof: Asof;
  readonly inputs: string;
  readonly minorInputs: string;
  readonly decision: Decision;
  readonly buildMs: number;
}

/** How often a put is decided anew against what stands in the store instead. */
const ATTEMPTS = 3;

export interface AnswerOptions {
  /** Put everything as of this instant, changed or not. */
  readonly force: boolean;
  /** Puts cost something (S3, R2): the first change at once, then at most one put in this time (ms); 0 for none. */
  readonly floor: number;
}

export class Answers {
  readonly #memos = new Map<string, Memo>();
  readonly #published: Published;
  readonly #options: AnswerOptions;

  constructor(published: Published, options: AnswerOptions) {
    this.#published = published;
    this.#options = options;
  }

  /** The earliest instant at which some answer changes by time alone; undefined where none does. */
  nextDue(): number | undefined {
    let next: number | undefined;
    for (const { dueAt } of this.#memos.values()) {
      if (dueAt !== undefined && (next === undefined || dueAt < next)) next = dueAt;
    }
    return next;
  }

  /** Builds nothing whose inputs stand still and whose instant has not come. Synchronous: inside the read transaction. */
  plan(publication: Publication, sources: Sources, at: number, asof: Asof): PlannedAnswer | undefined {
    const inputs = publication.inputs(sources);
    const minorInputs = publication.minorInputs?.(sources) ?? "";
    const memo = this.#memos.get(publication.key);
    if (memo !== undefined && !(memo.dueAt !== undefined && memo.dueAt <= at)) {
      const earliest = this.#earliest(publication, memo, inputs, minorInputs);
      if (earliest === undefined) return undefined;
      if (at < earliest) {
        this.#memos.set(publication.key, { ...memo, dueAt: Math.min(memo.dueAt ?? earliest, earliest) });
        return undefined;
      }
    }
    const started = performance.now();
    const decision = this.#decide(publication, sources, at);
    return { publication, sources, at, asof, inputs, minorInputs, decision, buildMs: performance.now() - started };
  }

  /** Puts what was planned, and remembers it once that is confirmed. */
  async put(planned: PlannedAnswer, store: ObjectStore, fence: Fence): Promise<ReportRow> {
    const { publication, at } = planned;
    let { decision } = planned;
    const started = performance.now();
    let before = this.#published.get(publication.key);
    if (decision.put) await this.#putBefore(planned, store, fence);
    for (let attempt = 1; decision.put; attempt++) {
      try {
        await this.#putOnce(planned, decision, store, fence);
        break;
      } catch (error) {
        if (!(error instanceof Superseded) || attempt === ATTEMPTS) throw error;
        before = this.#adopt(planned, error.found);
        decision = this.#decide(publication, planned.sources, at);
      }
    }
    const dueAt = earlier(decision.dueAt, publication.rebuildAt?.(planned.sources, at));
    const { inputs, minorInputs } = planned;
    this.#memos.set(publication.key, { inputs, minorInputs, builtAt: decision.isGap ? 0 : at, dueAt });
    return this.#row(planned, decision, before, planned.buildMs + performance.now() - started);
  }

  /** After a failure: not again before an input moves or half a minute has passed. */
  failed(publication: Publication, sources: Sources, at: number): void {
    const inputs = publication.inputs(sources);
    const minorInputs = publication.minorInputs?.(sources) ?? "";
    this.#memos.set(publication.key, { inputs, minorInputs, builtAt: at, dueAt: at + 30_000 });
  }

  /** When what has moved may be built; undefined where nothing has. */
  #earliest(publication: Publication, memo: Memo, inputs: string, minorInputs: string): number | undefined {
    const { floor } = this.#options;
    const putAt = this.#published.get(publication.key)?.putAt ?? 0;
    if (inputs !== memo.inputs) return Math.max(memo.builtAt + (publication.minimumInterval ?? 0), putAt + floor);
    if (minorInputs === memo.minorInputs) return undefined;
    return memo.builtAt + (floor === 0 ? 0 : (publication.minorInterval ?? 0));
  }

  #decide(publication: Publication, sources: Sources, at: number): Decision {
    const build = (instant: number) => publication.build(sources, instant);
    return decide(build, this.#published.get(publication.key), at, { force: this.#options.force });
  }

  /** Immutable keys are never used twice: what stands there already is what we would put. */
  async #putBefore({ publication, sources, asof }: PlannedAnswer, store: ObjectStore, fence: Fence): Promise<void> {
    await publication.before?.(sources, async (key, body) => {
      const mark = encodeMark({ epoch: fence.epoch, writer: fence.writer, asof });
      try {
        await fencedPut(
          store,
          fence,
          key,
          { body: Buffer.from(body), contentType: JSON_TYPE, metadata: mark },
          undefined,
        );
      } catch (error) {
        if (!(error instanceof Superseded)) throw error;
      }
    });
  }

  async #putOnce(
    planned: PlannedAnswer,
    decision: Decision & { put: true },
    store: ObjectStore,
    fence: Fence,
  ): Promise<void> {
    const { key } = planned.publication;
    const { built, states, successors } = decision.future;
    const body = Buffer.from(built.body);
    const object = encodeAnswer({
      representation: { status: built.status, headers: built.headers },
      body,
      successors,
      states,
      mark: { epoch: fence.epoch, writer: fence.writer, asof: planned.asof },
    });
    const tag = await fencedPut(store, fence, key, object, this.#published.get(key)?.tag);
    const etag = built.headers.etag ?? null;
    const { asof, at: putAt } = planned;
    this.#published.remember({ key, tag, states, asof, status: built.status, bytes: body.length, etag, putAt });
    planned.publication.stands?.(planned.sources, built.body);
  }

  /** Takes over what an earlier lease left in the store; refuses to go back behind the facts it speaks of. */
  #adopt({ publication, sources, asof }: PlannedAnswer, found: StoredObject | undefined): PublishedObject | undefined {
    const { key } = publication;
    if (found === undefined) {
      this.#published.forget(key);
      return undefined;
    }
    const object = publishedFrom(key, found);
    if ((object.asof.position ?? 0) > (asof.position ?? 0)) {
      throw new Failure("ledger_behind", `${key} speaks of position ${object.asof.position}, the ledger ends before`, {
        exit: EXIT.failed,
      });
    }
    this.#published.remember(object);
    publication.stands?.(sources, new TextDecoder().decode(found.body));
    return object;
  }

  #row(
    planned: PlannedAnswer,
    decision: Decision,
    before: PublishedObject | undefined,
    milliseconds: number,
  ): ReportRow {
    const { publication } = planned;
    const now = this.#published.get(publication.key);
    return {
      key: publication.key,
      resource: publication.resource,
      action: !decision.put ? "unchanged" : before === undefined ? "created" : "updated",
      why: decision.why,
      status: now?.status ?? null,
      bytes: now?.bytes ?? 0,
      etag: now?.etag ?? null,
      milliseconds,
    };
  }
}

/** What the publisher would remember of an answer, read back from the store. */
export function publishedFrom(key: string, found: StoredObject): PublishedObject {
  const answer = decodeAnswer(found);
  return {
    key,
    tag: found.tag,
    states: answer.states,
    asof: answer.mark.asof,
    status: answer.representation.status,
    bytes: found.body.length,
    etag: answer.representation.headers.etag ?? null,
    putAt: answer.mark.asof.at,
  };
}

/** The earlier of two instants, either of which may be none. */
export function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}

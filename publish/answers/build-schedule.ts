/**
 * When each answer is built again: its inputs have moved, or an instant has come; and where puts cost something, not
 * before its minimum interval is over (docs/spec/publishing.md#the-cycle). In memory: a new process builds everything.
 */
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { DueQueue } from "../due/due-queue.ts";
import type { Published } from "../state/published.ts";

/** What an answer was built from, as texts. */
export interface AnswerInputs {
  readonly inputs: string;
  readonly throttledInputs: string;
}

interface LastBuild extends AnswerInputs {
  /** Epoch ms; 0 where nothing good could be built, so that the next news are not kept waiting. */
  readonly builtAt: number;
  /** Built again then, though no input moved. */
  readonly dueAt: number | undefined;
}

/** After a failure: not again before an input moves or this has passed (ms). */
const AFTER_FAILURE_MS = 30_000;

export class BuildSchedule {
  readonly #builds = new Map<string, LastBuild>();
  readonly #dueAt = new DueQueue();
  /** Keys of what has moved and may not be put yet, or has failed. */
  readonly #waiting = new Set<string>();
  readonly #published: Published;
  readonly #minimumPutInterval: number;

  /** `minimumPutInterval`: of one key, in ms; the first change is put at once. 0 where puts cost nothing. */
  constructor(published: Published, minimumPutInterval: number) {
    this.#published = published;
    this.#minimumPutInterval = minimumPutInterval;
  }

  /** The earliest instant (epoch ms) at which some answer changes by time alone; undefined where none does. */
  nextDue(): number | undefined {
    return this.#dueAt.next();
  }

  /** The keys of those whose instant has come at `at` (epoch ms). */
  due(at: number): ReadonlySet<string> {
    return this.#dueAt.due(at);
  }

  /** Whether it is to be built at `at` (epoch ms). What has moved and may not yet be put is due later. */
  isDue(publication: Publication, inputs: AnswerInputs, at: number): boolean {
    const last = this.#builds.get(publication.key);
    // What others name is put before they are, as soon as it can be.
    if (publication.isNamedByOthers === true && this.#published.get(publication.key) === undefined) return true;
    if (last === undefined || (last.dueAt !== undefined && last.dueAt <= at)) return true;
    const earliest = this.#earliest(publication, last, inputs);
    if (earliest === undefined) return false;
    if (at >= earliest) return true;
    this.built(publication.key, { ...last, dueAt: earlier(last.dueAt, earliest) });
    this.#waiting.add(publication.key);
    return false;
  }

  /** Everything is built again: the sources are others. */
  forget(): void {
    this.#builds.clear();
    this.#dueAt.clear();
    this.#waiting.clear();
  }

  /** An answer that an earlier process put: built when its next change by time alone has come (epoch ms). */
  resume(key: string, dueAt: number): void {
    this.#dueAt.set(key, dueAt);
  }

  /** The keys of what has moved, or failed, and is not put yet. */
  waiting(): ReadonlySet<string> {
    return this.#waiting;
  }

  built(key: string, build: LastBuild): void {
    this.#waiting.delete(key);
    this.#builds.set(key, build);
    this.#dueAt.set(key, build.dueAt);
  }

  failed(key: string, inputs: AnswerInputs, at: number): void {
    this.built(key, { ...inputs, builtAt: at, dueAt: at + AFTER_FAILURE_MS });
    this.#waiting.add(key);
  }

  /** When what has moved may be built; undefined where nothing has. */
  #earliest(publication: Publication, last: LastBuild, now: AnswerInputs): number | undefined {
    const { key, minimumInterval = 0, throttledInterval = 0 } = publication;
    const interval = this.#minimumPutInterval;
    const putAt = this.#published.get(key)?.putAt ?? 0;
    if (now.inputs !== last.inputs) return Math.max(last.builtAt + minimumInterval, putAt + interval);
    if (now.throttledInputs === last.throttledInputs) return undefined;
    return last.builtAt + (interval === 0 ? 0 : throttledInterval);
  }
}

export function inputsOf(publication: Publication, snapshot: Snapshot): AnswerInputs {
  return { inputs: publication.inputs(snapshot), throttledInputs: publication.throttledInputs?.(snapshot) ?? "" };
}

/** The earlier of two instants, either of which may be none. */
export function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}

/** What one answer comes to in a snapshot: values alone, so that it outlives the transaction it was read in. */
import type { Asof } from "../../src/object-store/stored-answer.ts";
import type { ImmutableTile, Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { isNewerProgram } from "../site/program-version.ts";
import { asofOf } from "../sources/asof.ts";
import type { Published } from "../state/published.ts";
import { type AnswerInputs, earlier, inputsOf } from "./build-schedule.ts";
import { type Decision, decide } from "./decide.ts";

export interface PlannedAnswer {
  readonly publication: Publication;
  /** Of the snapshot that the answer was built from. */
  readonly asof: Asof;
  readonly inputs: AnswerInputs;
  readonly decision: Decision;
  /** What it names and the store has not yet; empty where it is not put. */
  readonly tiles: readonly (readonly ImmutableTile[])[];
  /** Epoch ms: built again then, though no input has moved. */
  readonly dueAt: number | undefined;
  readonly buildMs: number;
}

export interface PlanOptions {
  readonly published: Published;
  /** Put everything as of this instant, changed or not. */
  readonly force: boolean;
}

/** Also where everything is put: a rollback of the program takes back no file of the newer one. */
const LEFT_TO_NEWER: Decision = { put: false, why: "a newer version's stands", dueAt: undefined, isGap: false };

/** `at` in epoch ms. Throws what the build throws. */
export function planAnswer(
  publication: Publication,
  snapshot: Snapshot,
  at: number,
  options: PlanOptions,
): PlannedAnswer {
  const started = performance.now();
  const build = (instant: number) => publication.build(snapshot, instant);
  const published = options.published.get(publication.key);
  const decision = isNewerProgram(published?.asof.program, publication.program)
    ? LEFT_TO_NEWER
    : decide(build, published, at, { force: options.force });
  return {
    publication,
    asof: asofOf(snapshot, publication, at),
    inputs: inputsOf(publication, snapshot),
    decision,
    tiles: decision.put ? (publication.tiles?.(snapshot) ?? []) : [],
    dueAt: earlier(decision.dueAt, publication.rebuildAt?.(snapshot, at)),
    buildMs: performance.now() - started,
  };
}

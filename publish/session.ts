/** A publisher's memory from cycle to cycle, besides `known`; and the start of a new history. */
import type { Publication } from "../src/resources/publication.ts";
import type { ResourceName } from "../src/resources/table.ts";
import type { Failure } from "../src/values/failure.ts";
import type { DirtyInstallations } from "./dirty-installations.ts";
import { type Learning, learn } from "./learn.ts";
import { Pace } from "./pace.ts";
import { type PublishedNames, subjectOf } from "./plan/histories.ts";
import type { IndexPlanning } from "./plan/installations.ts";
import { type ReportFailure, reportFailure } from "./report.ts";

export interface Session extends Omit<IndexPlanning, "at" | "mustNameFirst"> {
  readonly dirty: DirtyInstallations;
  /** Sources that are behind what was published. */
  readonly regressions: Regressions;
  /** Keys whose settlement history was looked up in the store once. */
  readonly savedAsked: Set<string>;
  /** Keys of the index that are planned again, named or not. */
  readonly rechecked: Set<string>;
  /** The site is published besides the API. */
  readonly hasSite: boolean;
  /** The operator began new histories, and the stored index does not name them yet. */
  mustNameFirst: boolean;
}

export interface SessionOptions extends PublishedNames {
  readonly reader: { readonly installationId: string };
  readonly publications: readonly Publication[];
  readonly force: boolean;
  readonly minimumPutInterval: number;
  readonly site?: unknown;
  selected(resource: ResourceName): boolean;
}

export function newSession(options: SessionOptions, dirty: DirtyInstallations): Session {
  const { known, names, reader, publications, force, minimumPutInterval, site } = options;
  return {
    known,
    configured: reader.installationId,
    publications,
    force,
    dirty,
    pace: new Pace(minimumPutInterval),
    names,
    regressions: new Regressions(),
    savedAsked: new Set(),
    rechecked: new Set(),
    hasSite: site !== undefined,
    mustNameFirst: false,
    selected: (resource) => options.selected(resource),
  };
}

/** Abandons the published history of an installation, for `--new-history`. The next one begins at position 1. */
export async function startHistory(id: string, session: Session, learning: Learning): Promise<void> {
  for (;;) {
    const { subject, unknown } = subjectOf(id, session.configured, session);
    if (unknown.length > 0) {
      await learn(unknown, learning);
      continue;
    }
    const { history, isPublished } = subject;
    const next = isPublished ? String(Number(history) + 1) : history;
    session.names.set(id, next);
    session.known.rememberProgress(id, { history: next, position: 0, tag: null, telemetryId: null });
    session.mustNameFirst ||= isPublished;
    return;
  }
}

/** Source regressions by key, until they are over. They are reported in each cycle, also if the object is not due. */
export class Regressions {
  readonly #failures = new Map<string, Failure>();

  set(key: string, failure: Failure | undefined): void {
    if (failure === undefined) this.clear(key);
    else this.add(key, failure);
  }

  add(key: string, failure: Failure): void {
    this.#failures.set(key, failure);
  }

  /** The sources have caught up. */
  clear(key: string): void {
    this.#failures.delete(key);
  }

  /** One for each installation (its hint names it) and one for the chain. A forked ledger hides that it is also behind. */
  report(): ReportFailure[] {
    const subjects = new Map<string, ReportFailure>();
    for (const failure of this.#failures.values()) {
      const subject = failure.hint ?? failure.code;
      const isWorse = failure.code === "ledger_forked" && subjects.get(subject)?.code !== "ledger_forked";
      if (isWorse || !subjects.has(subject)) subjects.set(subject, reportFailure(failure));
    }
    return [...subjects.values()];
  }
}

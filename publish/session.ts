/** A publisher's memory from cycle to cycle, besides `known`. Also starts a new history. */
import type { Publication } from "../src/resources/publication.ts";
import type { ResourceName } from "../src/resources/table.ts";
import type { DirtyInstallations } from "./dirty-installations.ts";
import { type Learning, learn } from "./learn.ts";
import { Pace } from "./pace.ts";
import { type PublishedNames, subjectOf } from "./plan/histories.ts";
import type { IndexPlanning } from "./plan/installations.ts";
import type { RefusedSources } from "./plan/source-version.ts";
import { isIndexOf } from "./prefix-owner.ts";

export interface Session extends Omit<IndexPlanning, "at" | "mustNameFirst"> {
  readonly dirty: DirtyInstallations;
  /** Sources that are behind what was published: installation id → why. They are reported in each cycle, due or not. */
  readonly refused: Map<string, RefusedSources>;
  /** Keys whose settlement history was looked up in the store once. */
  readonly savedAsked: Set<string>;
  /** The site is published besides the API. */
  readonly hasSite: boolean;
  /** The stored index does not name the configured installation, or not a new history. It is put before anything else. */
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
    refused: new Map(),
    savedAsked: new Set(),
    hasSite: site !== undefined,
    mustNameFirst: !isIndexOf(reader.installationId, known),
    selected: (resource) => options.selected(resource),
  };
}

/** True if the ledger is refused. Meanwhile no other installation is planned. */
export function isLedgerRefused({ refused, configured }: Session): boolean {
  return refused.get(configured)?.ledger !== undefined;
}

/** Abandons the published history of an installation, for `--new-history`. The next one begins at position 1. */
export async function startHistory(id: string, session: Session, learning: Learning): Promise<void> {
  for (;;) {
    const { subject, unknown } = subjectOf(id, session);
    if (unknown.length > 0) {
      await learn(unknown, learning);
      continue;
    }
    const { history, isPublished } = subject;
    const next = isPublished ? String(Number(history) + 1) : history;
    // Only the name is kept in memory: if it does not get into the index, the next process knows nothing of it.
    session.names.set(id, next);
    session.mustNameFirst ||= isPublished;
    return;
  }
}

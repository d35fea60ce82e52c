/**
 * Where each installation's published history stands, and whether the ledger goes on from it (design 1, "History does
 * not fork"). A publisher whose ledger lacks what was published puts nothing for that installation.
 */
import type { Database } from "better-sqlite3";
import { parseInstallations } from "../../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import { readTelemetryIdAt } from "../../src/ledger/read/receipts.ts";
import { installationNo } from "../../src/ledger/watermarks.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import type { Asof } from "../../src/object-store/stored-answer.ts";
import { installationTelemetryKey, TELEMETRY_KEY } from "../../src/resources/telemetry/keys.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { publishedFrom } from "../answers/published-object.ts";
import type { Published, TileProgress } from "../state/published.ts";
import { findProgress } from "./tiles.ts";

const FIRST_HISTORY = "1";

export class Histories {
  /** Installation id → the history that its observations stand in. */
  readonly names: Map<string, string>;
  readonly #store: ObjectStore;
  readonly #published: Published;
  readonly #configured: string;
  readonly #asof = new Map<string, Asof>();
  readonly #progress = new Map<string, TileProgress>();
  readonly #verified = new Set<string>();

  private constructor(store: ObjectStore, published: Published, configured: string, names: Map<string, string>) {
    this.#store = store;
    this.#published = published;
    this.#configured = configured;
    this.names = names;
  }

  /** Reads the index in the store, once a session. */
  static async load(store: ObjectStore, published: Published, configured: string): Promise<Histories> {
    const index = await store.get(INSTALLATIONS_KEY, { fresh: true });
    const names = new Map<string, string>();
    if (index !== undefined) {
      for (const [id, history] of parseInstallations(new TextDecoder().decode(index.body)).histories)
        names.set(id, history);
      published.remember(publishedFrom(INSTALLATIONS_KEY, index));
    }
    return new Histories(store, published, configured, names);
  }

  /** Looks up where an installation stands in the store, before its first put of a session. */
  async prepare(installationId: string): Promise<void> {
    if (this.#asof.has(installationId)) return;
    const asof = await this.#publishedAsof(installationId);
    const history = this.names.get(installationId) ?? FIRST_HISTORY;
    const remembered = this.#published.tiles(installationId);
    const progress =
      remembered?.history === history
        ? remembered
        : await findProgress(this.#store, installationId, history, asof.position ?? 0);
    this.#asof.set(installationId, asof);
    this.#progress.set(installationId, progress);
  }

  isPrepared(installationId: string): boolean {
    return this.#asof.has(installationId);
  }

  /**
   * Throws `Failure` ledger_behind or ledger_forked; without a ledger, ledger_behind where receipts were published. One
   * indexed read a session and installation.
   */
  verify(ledger: Database | undefined, installationId: string): void {
    if (this.#verified.has(installationId)) return;
    const { position, telemetryId } = this.#asof.get(installationId) ?? {};
    if (position !== undefined && telemetryId !== undefined) {
      const no = ledger && installationNo(ledger, installationId);
      const found = ledger && no !== undefined ? readTelemetryIdAt(ledger, no, position) : undefined;
      if (found === undefined) throw discontinuity("ledger_behind", installationId, position, "does not reach it");
      if (found !== telemetryId) {
        throw discontinuity("ledger_forked", installationId, position, "has another receipt there");
      }
    }
    this.#verified.add(installationId);
  }

  /** Another ledger file: nothing verified of the old one counts. */
  ledgerReplaced(): void {
    this.#verified.clear();
    for (const id of this.#asof.keys()) {
      const asof = this.#published.get(this.#telemetryKey(id))?.asof;
      if (asof !== undefined) this.#asof.set(id, asof);
    }
  }

  progress(installationId: string): TileProgress {
    const history = this.names.get(installationId) ?? FIRST_HISTORY;
    return this.#progress.get(installationId) ?? { history, position: 0, tag: null };
  }

  advance(installationId: string, progress: TileProgress): void {
    this.#progress.set(installationId, progress);
    this.#published.rememberTiles(installationId, progress);
  }

  /** Leaves the published history behind, on the operator's word: tiles begin anew under the next name. */
  startNew(installationId: string): void {
    const next = String(Number(this.names.get(installationId) ?? "0") + 1);
    this.names.set(installationId, next);
    this.#asof.set(installationId, { at: 0 });
    this.advance(installationId, { history: next, position: 0, tag: null });
    this.#verified.add(installationId);
  }

  name(installationId: string): void {
    if (!this.names.has(installationId)) this.names.set(installationId, FIRST_HISTORY);
  }

  async #publishedAsof(installationId: string): Promise<Asof> {
    const key = this.#telemetryKey(installationId);
    const known = this.#published.get(key);
    if (known !== undefined) return known.asof;
    const found = await this.#store.get(key, { fresh: true });
    if (found === undefined) return { at: 0 };
    const object = publishedFrom(key, found);
    this.#published.remember(object);
    return object.asof;
  }

  #telemetryKey(installationId: string): string {
    return installationId === this.#configured ? TELEMETRY_KEY : installationTelemetryKey(installationId);
  }
}

function discontinuity(code: string, installationId: string, position: number, what: string): Failure {
  return new Failure(code, `${installationId} was published through position ${position}, the ledger ${what}`, {
    exit: EXIT.failed,
    hint:
      "Nothing is put for it. Restore the ledger that was published from, or leave that history behind on purpose: " +
      `noonmark publish --new-history ${installationId}`,
  });
}

/** Reads one cycle's sources: ledger, projections and chain of one instant (design 1, "The cycle"). */

import type { Chain } from "../../src/chain/chain.ts";
import type { LedgerSource, LedgerStanding } from "./ledger-source.ts";
import type { ProjectionsSource } from "./projections-source.ts";
import type { Sources } from "./sources.ts";

export interface SourceReaderOptions {
  readonly installationId: string;
  readonly ledger: LedgerSource | undefined;
  readonly projections: ProjectionsSource;
  readonly chain: Chain;
  /** Seconds, as configured. */
  readonly genesisTimestamp: number | undefined;
}

/** How far ledger and chain had come. */
export interface Standing {
  readonly ledger: LedgerStanding | undefined;
  readonly chain: number;
}

export class SourceReader {
  readonly installationId: string;
  readonly #options: SourceReaderOptions;
  #chainVersion = -1;
  #replaced = false;

  constructor(options: SourceReaderOptions) {
    this.#options = options;
    this.installationId = options.installationId;
  }

  /** To be taken before a cycle reads anything: it may read several times, and what comes in between is not all its own. */
  standing(): Standing {
    const { ledger, chain } = this.#options;
    return { ledger: ledger?.standing(), chain: chain.moved() };
  }

  /** The cycle that began with this standing is done. */
  settle({ ledger, chain }: Standing): void {
    if (ledger !== undefined) this.#options.ledger?.settle(ledger);
    this.#chainVersion = chain;
  }

  /** Whether anything but time has changed since the standing that was settled last; microseconds. */
  moved(): boolean {
    const look = this.#options.ledger?.look() ?? "still";
    if (look === "replaced") this.#replaced = true;
    const { chain, projections } = this.#options;
    return look !== "still" || this.#replaced || projections.isBehind || chain.moved() !== this.#chainVersion;
  }

  /** Whether another ledger file has come since the last time this was asked. */
  takeReplaced(): boolean {
    this.moved();
    const replaced = this.#replaced;
    this.#replaced = false;
    return replaced;
  }

  /** `tilePrefix` is of the lease under which something is put; without one nothing is. */
  read<T>(at: number, use: (sources: Sources) => T, tilePrefix = "0-0"): T {
    const { ledger, projections, chain, installationId, genesisTimestamp } = this.#options;
    const chainState = chain.state(at);
    const genesis = genesisTimestamp === undefined ? chainState.genesisTimestamp : BigInt(genesisTimestamp);
    const withFacts = (db: NonNullable<Sources["facts"]>["ledger"] | undefined) =>
      use({
        installationId,
        facts: db === undefined ? undefined : { ledger: db },
        projections: projections.advance({
          installationId,
          ledger: db,
          chain: chainState,
          chainDb: chain.db,
          genesis,
          at,
        }),
        tilePrefix,
        chain: chainState,
        chainDb: chain.db,
        genesisTimestamp: genesis,
      });
    return ledger === undefined ? withFacts(undefined) : ledger.read(withFacts);
  }

  /** Epoch ms after `now` at which the chain says something else by time alone. */
  nextChange(now: number): number | undefined {
    return this.#options.chain.nextChange(now);
  }

  /** For `noonmark status`. */
  describe(): Record<string, unknown> {
    const { ledger, chain } = this.#options;
    return { ledger: ledger?.path ?? "none", chain: chain.describe() };
  }

  close(): void {
    this.#options.ledger?.close();
    this.#options.projections.close();
    this.#options.chain.close();
  }
}

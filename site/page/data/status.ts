/** `/status.json`, how the publication is (docs/spec/api.md#status). */

export interface Status {
  readonly schemaVersion: 1;
  readonly installationId: string;
  readonly now: string;
  readonly explorer?: string | null;
  readonly publisher: {
    readonly state: "live" | "late" | "stopped";
    readonly renewedAt: string | null;
    readonly lastCycleAt: string | null;
    readonly nextCycleAt: string | null;
  };
  /** By URL path with its query. */
  readonly answers: Readonly<
    Record<string, { readonly asOf: string; readonly status: number; readonly nextChangeAt: string | null }>
  >;
  readonly sources: {
    readonly ledger: {
      readonly status: "followed" | "none" | "unreadable" | "behind";
      readonly newestReceiptAt: string | null;
    };
    readonly chain: {
      readonly status: "followed" | "disabled" | "silent" | "mismatch" | "behind";
      readonly indexedThroughBlock: string | null;
      readonly safeThroughBlock: string | null;
      readonly lastGoodPassAt: string | null;
    };
  };
}

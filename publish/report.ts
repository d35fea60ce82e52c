/** What a cycle did, object by object. */
import type { ResourceName } from "../src/resources/names.ts";

export interface ReportRow {
  readonly key: string;
  readonly resource: ResourceName;
  readonly action: "created" | "updated" | "unchanged" | "failed";
  /** Why it was put, or left alone, or what failed. */
  readonly why: string;
  readonly status: number | null;
  readonly bytes: number;
  readonly etag: string | null;
  /** Building and putting. */
  readonly milliseconds: number;
}

export interface CycleReport {
  /** The instant computed for, epoch ms. */
  readonly at: number;
  readonly rows: readonly ReportRow[];
  /** Stable codes of what kept an installation or a source from being published. */
  readonly failures: readonly { readonly code: string; readonly message: string; readonly hint?: string }[];
}

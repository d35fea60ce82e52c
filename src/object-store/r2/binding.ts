/** The part of a Worker's R2 bucket binding that this store uses. */
export interface R2Bucket {
  get(key: string): Promise<R2Body | null>;
  /** null if `onlyIf` does not hold. */
  put(key: string, body: Uint8Array, options: R2PutOptions): Promise<R2Entry | null>;
  delete(key: string): Promise<void>;
  list(options: { prefix: string; cursor?: string }): Promise<R2Page>;
}

export interface R2Entry {
  readonly key: string;
  readonly etag: string;
}

export interface R2Body extends R2Entry {
  readonly httpMetadata?: { readonly contentType?: string };
  readonly customMetadata?: Readonly<Record<string, string>>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export interface R2PutOptions {
  readonly httpMetadata: { readonly contentType: string };
  readonly customMetadata: Readonly<Record<string, string>>;
  /** Bare tags; `*` for any. */
  readonly onlyIf?: { readonly etagMatches: string } | { readonly etagDoesNotMatch: string };
}

export type R2Page =
  | { readonly objects: readonly R2Entry[]; readonly truncated: false }
  | { readonly objects: readonly R2Entry[]; readonly truncated: true; readonly cursor: string };

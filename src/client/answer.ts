/** The result of a call. */

export interface Answer<Body> {
  readonly body: Body;
  /** As it came; null where the route has none. */
  readonly etag: string | null;
  /** Headers of the last response; those of settlements state the source. */
  readonly headers: Headers;
  /** Nothing has changed since this client last asked: `body` is the very object of that time. */
  readonly notModified: boolean;
}

export interface CallOptions {
  /** Aborting it rejects with code `aborted`, whatever is going on. */
  readonly signal?: AbortSignal | undefined;
}

/** What a call gives. */

export interface Answer<Body> {
  readonly body: Body;
  /** As it came; null where the route has none. */
  readonly etag: string | null;
  /** Of the last response; settlements say in them where they come from. */
  readonly headers: Headers;
  /** Nothing has changed since this client last asked: `body` is the very object of that time. */
  readonly notModified: boolean;
}

export interface CallOptions {
  /** Aborting it rejects with code `aborted`, whatever is going on. */
  readonly signal?: AbortSignal | undefined;
}

/** A response to a GET, without the headers that every response has (`common-headers.ts`). */
export interface Representation {
  readonly status: number;
  /** Lower-case names. Only headers that differ between responses: etag, cache-control, retry-after, x-service-…. */
  readonly headers: Readonly<Record<string, string>>;
  /** The media type of a file; JSON if absent. */
  readonly contentType?: string;
  readonly body: string;
}

/** Returns a strong ETag for a revision (docs/spec/api.md#http). */
export function etagOf(revision: string): string {
  return `"${revision}"`;
}

/** The part that an object's metadata hold: everything except the body. */
export function representationOf({ status, headers, contentType }: Representation): Omit<Representation, "body"> {
  return { status, headers, ...(contentType === undefined ? {} : { contentType }) };
}

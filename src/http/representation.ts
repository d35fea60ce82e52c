/** What a GET is answered with, less the headers every answer has (`common-headers.ts`). */
export interface Representation {
  readonly status: number;
  /** Lower-case names; only what differs between answers: etag, cache-control, retry-after, x-service-…. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of a file; JSON where absent. */
  readonly contentType?: string;
  readonly body: string;
}

/** A strong validator from a revision (docs/spec/api.md#http). */
export function etagOf(revision: string): string {
  return `"${revision}"`;
}

/** All but the body, which is kept as bytes elsewhere. */
export function representationOf({ status, headers, contentType }: Representation): Omit<Representation, "body"> {
  return { status, headers, ...(contentType === undefined ? {} : { contentType }) };
}

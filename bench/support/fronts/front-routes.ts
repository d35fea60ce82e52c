/** The URLs of `fronts.bench.ts`: every one with a stored object, in its plain form. */
import { ROUTES } from "../../../src/resources/table.ts";

export const BENCH_ROUTES = ROUTES.flatMap(({ path, objects, etag, edgeSeconds }) =>
  objects.map(({ query, key }) => ({ url: query === "" ? path : `${path}?${query}`, key, etag, edgeSeconds })),
);

/** The URLs of `fronts.bench.ts`: every URL that has a stored object, without optional parameters. */
import { ROUTES } from "../../../../src/resources/table.ts";

export const BENCH_ROUTES = ROUTES.flatMap(({ path, objects, etag, edgeSeconds }) =>
  objects.map(({ query, key }) => ({ url: query === "" ? path : `${path}?${query}`, key, etag, edgeSeconds })),
);

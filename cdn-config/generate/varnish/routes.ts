/** What VCL asks of the table of routes, as regular expressions over the name of the route at hand. */
import { ROUTES } from "../../../src/resources/table.ts";
import { routeNames } from "../plan.ts";

/** Seconds. */
export const STALE = Math.max(...ROUTES.map((route) => route.staleIfErrorSeconds));

export function oneOf(holds: Parameters<typeof routeNames>[0]): string {
  return `^(?:${routeNames(holds).join("|")})$`;
}

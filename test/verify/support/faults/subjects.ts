import { plainQueries } from "../../../../src/resources/contracts.ts";
import { type NamedRoute, ROUTES } from "../../../../src/resources/table.ts";
import { elementAt } from "../../../../src/values/unknown.ts";
import { INSTALLATION } from "../../../publish/world.ts";
import type { Planted } from "./plant.ts";

export interface FaultSubject {
  readonly route: NamedRoute;
  readonly path: string;
  readonly target: string;
}

export const PATHS = new Map(ROUTES.map((route) => [route, route.path.replace("{installationId}", INSTALLATION)]));

/** Every URL that a run requests in its plain form. */
export const SUBJECTS: readonly FaultSubject[] = ROUTES.flatMap((route) => {
  const path = PATHS.get(route) ?? route.path;
  return plainQueries(route).map((query) => ({ route, path, target: query === "" ? path : `${path}?${query}` }));
});

/**
 * Plants each fault of a route at one of the route's URLs, in turn. `faultsAt` returns the same faults for each URL of
 * a route.
 */
export function inTurn(faultsAt: (subject: FaultSubject) => readonly Planted[]): Planted[] {
  return ROUTES.flatMap((route) => {
    const ofUrls = SUBJECTS.filter((subject) => subject.route === route).map(faultsAt);
    return elementAt(ofUrls, 0).map((_, turn) => elementAt(elementAt(ofUrls, turn % ofUrls.length), turn));
  });
}

/** The query of a valid request for the route, with its question mark. */
export const goodQuery = (route: NamedRoute): string => {
  const [first = ""] = plainQueries(route);
  return first === "" ? "" : `?${first}`;
};

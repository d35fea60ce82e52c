import { CONTRACT, type RouteContract } from "../../../../src/judge/contract.ts";
import { elementAt } from "../../../../src/values/unknown.ts";
import { INSTALLATION } from "../../../publish/world.ts";
import type { Planted } from "./plant.ts";

export interface FaultSubject {
  readonly route: RouteContract;
  readonly path: string;
  readonly target: string;
}

export const PATHS = new Map(CONTRACT.map((route) => [route, route.path.replace("{installationId}", INSTALLATION)]));

/** Every URL that a run requests in its plain form. */
export const SUBJECTS: readonly FaultSubject[] = CONTRACT.flatMap((route) => {
  const path = PATHS.get(route) ?? route.path;
  return route.queries.map((query) => ({ route, path, target: query === "" ? path : `${path}?${query}` }));
});

/** Plants each fault of a route at one of the route's URLs, in turn. `faultsAt` returns the same faults for each URL of a route. */
export function inTurn(faultsAt: (subject: FaultSubject) => readonly Planted[]): Planted[] {
  return CONTRACT.flatMap((route) => {
    const ofUrls = SUBJECTS.filter((subject) => subject.route === route).map(faultsAt);
    return elementAt(ofUrls, 0).map((_, turn) => elementAt(elementAt(ofUrls, turn % ofUrls.length), turn));
  });
}

/** The query of a valid request for the route, with its question mark. */
export const goodQuery = ({ queries: [first = ""] }: RouteContract): string => (first === "" ? "" : `?${first}`);

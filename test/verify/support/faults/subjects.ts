import { CONTRACT, type RouteContract } from "../../../../src/judge/contract.ts";
import { INSTALLATION } from "../../../publish/world.ts";

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

/** The query of a valid request for the route, with its question mark. */
export const goodQuery = ({ queries: [first = ""] }: RouteContract): string => (first === "" ? "" : `?${first}`);

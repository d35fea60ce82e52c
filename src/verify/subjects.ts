/** The URLs of a route that are answered with 200. */

import type { RouteContract } from "../judge/contract.ts";
import type { UrlSubject } from "../judge/judged.ts";
import { CATEGORIES } from "../resources/activity/keys.ts";
import type { Run } from "./run.ts";

/** The path of a route, of the installation whose history is read where it names one. */
export function pathOf(run: Run, route: RouteContract, id: string = run.installationId): string {
  return route.path.replace("{installationId}", encodeURIComponent(id));
}

export function targetOf(run: Run, route: RouteContract, query: string): string {
  return `${pathOf(run, route)}${query === "" ? "" : `?${query}`}`;
}

/** Every accepted query of a route, the pages by their first. */
export function subjectsOf(run: Run, route: RouteContract): UrlSubject[] {
  const queries = route.query === "activity" ? CATEGORIES.map((category) => `category=${category}`) : route.queries;
  return queries.map((query) => ({ route, query, target: targetOf(run, route, query) }));
}

export function allSubjects(run: Run): UrlSubject[] {
  return run.routes.flatMap((route) => subjectsOf(run, route));
}

/** The plain form of every URL of a row: each accepted query once, a page's by its first page. */
import { routeContract } from "./contracts.ts";
import type { NamedRow } from "./table.ts";

/** `[""]` if there is only the bare path. */
export function plainQueries(row: NamedRow): readonly string[] {
  if (row.kind === "file" || row.query === "ignored") return [""];
  if (row.query === "exact") return row.objects.map(({ query }) => query);
  for (const { name, form } of routeContract(row.name).parameters ?? []) {
    if (form !== "cursor" && form.type === "string") return form.enum.map((value) => `${name}=${value}`);
  }
  return [""];
}

/** Paths and queries; `installationId` is written as in a path. */
export function plainTargets(row: NamedRow, installationId: string): string[] {
  const path = row.path.replace("{installationId}", installationId);
  return plainQueries(row).map((query) => (query === "" ? path : `${path}?${query}`));
}

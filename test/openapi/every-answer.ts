/** Requests every route with every query and every page, and checks each response against the document. */
import { ROUTES } from "../../src/resources/table.ts";
import type { ScriptAnswer } from "../support/scripts/run-http-script.ts";
import { operationFor, undocumented } from "./judge-answer.ts";

/** At most so many pages of one list. */
const PAGES = 20;

export interface Judged {
  readonly judged: number;
  /** Deviations from the document, each after its URL. */
  readonly found: readonly string[];
}

/** `get` gives the response to a path with its query. */
export async function judgeEveryAnswer(get: (url: string) => Promise<ScriptAnswer>): Promise<Judged> {
  const found: string[] = [];
  let judged = 0;
  const judge = async (url: string): Promise<ScriptAnswer> => {
    const got = await get(url);
    const operation = operationFor(url);
    if (operation === undefined) throw new Error(url);
    judged++;
    found.push(...undocumented(operation, got, true).map((text) => `${url}: ${text}`));
    return got;
  };
  const { installationId } = JSON.parse((await judge("/v1/public/telemetry")).body) as { installationId: string };
  for (const { path, query, objects } of ROUTES) {
    const own = path.replace("{installationId}", installationId);
    if (query === "exact") for (const object of objects) await judge(own + (object.query && `?${object.query}`));
    else await judge(own);
  }
  for (const category of ["all", "protocol", "players", "measurement"]) {
    await walk(`/v1/public/activity?category=${category}&limit=40`, judge);
  }
  await walk(`/v1/public/installations/${installationId}/observations?limit=100`, judge);
  await judge("/v1/public/installations/nobody/telemetry");
  return { judged, found };
}

async function walk(first: string, judge: (url: string) => Promise<ScriptAnswer>): Promise<void> {
  let url = first;
  for (let page = 0; page < PAGES; page++) {
    const { nextCursor } = JSON.parse((await judge(url)).body) as { nextCursor: string | null };
    if (nextCursor === null) return;
    url = `${first}&cursor=${nextCursor}`;
  }
}

/** Answers of the shim against the document: those of every HTTP script, and every body of a world that has everything. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROUTES } from "../../src/resources/table.ts";
import { answer } from "../../src/shim/answer.ts";
import { shimContext } from "../../src/shim/context.ts";
import { allScripts } from "../support/all-scripts.ts";
import { runScript, type ScriptAnswer, type ScriptTarget } from "../support/run-http-script.ts";
import { coreTarget } from "../support/script-targets.ts";
import { scriptWorld } from "../support/script-world.ts";
import { type FullWorld, fullWorld } from "../verify/support/full-world.ts";
import { operationFor, undocumented } from "./judge-answer.ts";

/** What the shim itself makes; the stored bodies of the scripts' world are stubs that no schema knows. */
const MADE_BY_SHIM = /^\/(?:badge|status)\.json/;

test.each(allScripts())("$name: status, headers and errors are as the document says", async ({ blocks }) => {
  const found: string[] = [];
  let judged = 0;
  const target = coreTarget(await scriptWorld());
  const judging: ScriptTarget = {
    ...target,
    async send(method, url, headers) {
      const answered = await target.send(method, url, headers);
      const operation = method === "OPTIONS" ? undefined : operationFor(url);
      if (operation !== undefined) {
        judged++;
        const withBody = answered.status !== 200 || MADE_BY_SHIM.test(url);
        found.push(...undocumented(operation, answered, withBody).map((text) => `${method} ${url}: ${text}`));
      }
      return answered;
    },
  };
  await runScript(blocks, judging);
  expect(found).toEqual([]);
  if (blocks.some(({ requests }) => requests.some((request) => operationFor(request.target) !== undefined))) {
    expect(judged).toBeGreaterThan(0);
  }
});

let full: FullWorld;
beforeAll(async () => {
  full = await fullWorld();
});
afterAll(() => full?.world.end());

test("every body of every route, page by page", async () => {
  const found: string[] = [];
  let bodies = 0;
  const judge = async (url: string): Promise<ScriptAnswer> => {
    const got = await get(url);
    const operation = operationFor(url);
    if (operation === undefined) throw new Error(url);
    bodies++;
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
  expect(found).toEqual([]);
  expect(bodies).toBeGreaterThan(30);
});

/** At most so many pages of one list. */
const PAGES = 20;

async function walk(first: string, judge: (url: string) => Promise<ScriptAnswer>): Promise<void> {
  let url = first;
  for (let page = 0; page < PAGES; page++) {
    const { nextCursor } = JSON.parse((await judge(url)).body) as { nextCursor: string | null };
    if (nextCursor === null) return;
    url = `${first}&cursor=${nextCursor}`;
  }
}

async function get(url: string): Promise<ScriptAnswer> {
  const context = shimContext({ store: full.world.store, now: () => full.at, monotonic: () => 0 });
  const { status, headers, body } = await answer({ method: "GET", url, ifNoneMatch: undefined }, context);
  return { status, headers, body: new TextDecoder().decode(body) };
}

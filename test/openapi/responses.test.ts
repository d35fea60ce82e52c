/** The shim's responses follow the document: in every HTTP script, and for every body of a world with all data. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { shimContext } from "../../src/shim/context.ts";
import { respond } from "../../src/shim/respond.ts";
import { allScripts } from "../support/scripts/all-scripts.ts";
import { runScript, type ScriptResponse, type ScriptTarget } from "../support/scripts/run-http-script.ts";
import { coreTarget } from "../support/scripts/script-targets.ts";
import { scriptWorld } from "../support/scripts/script-world.ts";
import { type FullWorld, fullWorld } from "../verify/support/full-world.ts";
import { judgeEveryResponse, operationFor, undocumented } from "./judge.ts";

/** Bodies that the shim itself builds. The stored bodies of the scripts' world are stubs without a schema. */
const MADE_BY_SHIM = /^\/status\.json/;

test.each(allScripts())("$name: status, headers and errors match the document", async ({ blocks }) => {
  const found: string[] = [];
  let judged = 0;
  const target = coreTarget(await scriptWorld());
  const judging: ScriptTarget = {
    ...target,
    async send(method, url, headers) {
      const reply = await target.send(method, url, headers);
      const operation = method === "OPTIONS" ? undefined : operationFor(url);
      if (operation !== undefined) {
        judged++;
        const withBody = reply.status !== 200 || MADE_BY_SHIM.test(url);
        found.push(...undocumented(operation, reply, withBody).map((text) => `${method} ${url}: ${text}`));
      }
      return reply;
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

test("every body of every route, page by page, follows the document", async () => {
  const { judged, found } = await judgeEveryResponse(get);
  expect(found).toEqual([]);
  expect(judged).toBeGreaterThan(30);
});

async function get(url: string): Promise<ScriptResponse> {
  const context = shimContext({ store: full.world.store, now: () => full.at, monotonic: () => 0 });
  const { status, headers, body } = await respond({ method: "GET", url, ifNoneMatch: undefined }, context);
  return { status, headers, body: new TextDecoder().decode(body) };
}

/** Paths of no route, and malformed installation ids. */

import type { RouteContract } from "../../../judge/contract.ts";
import { judgeRefusal, seen } from "../../../judge/errors.ts";
import { jsonOf } from "../../../judge/exchange.ts";
import type { Subject } from "../../../judge/report.ts";
import { EVERY_PATH } from "../../../judge/report.ts";
import { family } from "../../../judge/rule.ts";
import type { Run } from "../../run.ts";
import { pathOf } from "../../subjects.ts";
import { ask } from "../ask.ts";
import { each, guarded } from "../guarded.ts";

const SPEC = "docs/spec/api.md#http";

export const PATH = family("path", {
  unknown: ["an unknown path is 404 not_found", "pass unknown paths to the origin, or answer as it does", SPEC],
  slash: ["a path with a slash at its end is unknown", "let the front neither add nor drop slashes", SPEC],
  written: [
    "a path is known in one way of writing it",
    "let the front neither change the case of paths nor merge slashes",
    SPEC,
  ],
  storage: [
    "the storage's keys are no paths",
    "let the front map the API's paths to keys, not pass paths through to the bucket",
    SPEC,
  ],
  "malformed-id": [
    "a malformed installation id is 400 invalid_installation_id",
    "decode the id once and judge it behind the front",
    "docs/spec/api.md#http",
  ],
  "valid-id": [
    "any well-formed installation id is answered 200",
    "let the front pass every id of the pattern as it is written",
    "docs/spec/api.md#http",
  ],
  "unknown-id": [
    "an installation that nobody has heard of is offline and has no observations",
    "answer unknown ids as the API says, and put the whole path into the cache key",
    "docs/spec/api.md#installations",
  ],
});

const UNKNOWN = [
  "",
  "v1",
  "v1/public",
  "v1/public/",
  "v9/public/process",
  "v1/public/installations",
  "v1/public/process",
  "v4/public/processes",
];
const STORED = [
  "installations",
  "installations/256/0",
  "standby.json",
  "v2/public/stats/7d",
  "v4/public/settlements/now",
  "v1/public/activity/all",
  "private/status.json",
];
const MALFORMED_IDS = ["", "%20", "a%2Fb", "a+b", "a%00", "%zz", "%FF", "%C3%A9", "$1", "a,b", "~", "x".repeat(129)];

export async function judgePaths(run: Run): Promise<void> {
  await guarded(run, EVERY_PATH, async () => {
    const paths = [...UNKNOWN.filter((path) => path !== ""), run.surroundings.unique()];
    for (const path of paths) await expectUnknown(run, { rule: "unknown", target: `/${path}` });
    for (const path of STORED) await expectUnknown(run, { rule: "storage", target: `/${path}` });
    await expectUnknown(run, { rule: "unknown", target: `/${run.surroundings.unique()}?range=7d` });
    await expectUnknown(run, {
      rule: "unknown",
      target: `/${run.surroundings.unique()}`,
      headers: { "if-none-match": "*" },
    });
  });
  await each(run, run.routes, {
    of: (route) => route,
    checks: async (route) => {
      const path = pathOf(run, route);
      await expectUnknown(run, { rule: "slash", target: `${path}/`, route });
      await expectUnknown(run, { rule: "slash", target: `${path}/?range=7d`, route });
      await expectUnknown(run, { rule: "written", target: path.replace("/public/", "/Public/"), route });
      await expectUnknown(run, { rule: "written", target: path.replace("/public/", "/public//"), route });
      await expectUnknown(run, { rule: "unknown", target: `${path}.json`, route });
      if (route.path.includes("{installationId}")) await judgeIds(run, route);
    },
  });
}

interface UnknownPath {
  readonly rule: "unknown" | "slash" | "written" | "storage";
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly route?: Subject;
}

async function expectUnknown(run: Run, { rule, target, headers = {}, route = EVERY_PATH }: UnknownPath): Promise<void> {
  const reply = await ask(run, { target, headers });
  judgeRefusal({
    run,
    rule: PATH[rule],
    subject: route,
    request: `GET ${target}`,
    reply,
    status: 404,
    code: "not_found",
  });
}

async function judgeIds(run: Run, route: RouteContract): Promise<void> {
  const at = (id: string) => route.path.replace("{installationId}", id);
  const bad = MALFORMED_IDS.map(at);
  for (const target of [...bad, `${at("a%2Fb")}?cursor=!`, `${at("%zz")}?limit=5`]) {
    const reply = await ask(run, { route, target });
    const request = `GET ${target}`;
    judgeRefusal({
      run,
      rule: PATH["malformed-id"],
      subject: route,
      request,
      reply,
      status: 400,
      code: "invalid_installation_id",
    });
  }
  const unique = run.surroundings.unique();
  for (const id of [unique, `A.z_0:9-${unique}`, "y".repeat(128), `%7a${unique}`, `${unique}%3Aa`]) {
    await expectNobody(run, route, id);
  }
}

/** `id` as it is written in the path. */
async function expectNobody(run: Run, route: RouteContract, id: string): Promise<void> {
  const target = route.path.replace("{installationId}", id);
  const reply = await ask(run, { route, target });
  run.check(PATH["valid-id"], route, reply.status === 200, () => ({
    expected: `200 to GET ${target}`,
    saw: seen(reply),
  }));
  if (reply.status !== 200) return;
  const body = jsonOf(reply) as Record<string, unknown> | undefined;
  const wanted =
    route.query === "observations"
      ? { schemaVersion: 1, installationId: decodeURIComponent(id), items: [], nextCursor: null }
      : { installationId: decodeURIComponent(id), status: "offline", revision: null, measurement: null };
  const wrong = Object.entries(wanted).filter(
    ([name, value]) => JSON.stringify(body?.[name]) !== JSON.stringify(value),
  );
  run.check(PATH["unknown-id"], route, wrong.length === 0, () => ({
    expected: `${wrong.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ")} from GET ${target}`,
    saw: wrong.map(([name]) => `${name} ${JSON.stringify(body?.[name])}`).join(", "),
  }));
  const complaints = route.complaints(body);
  run.check(PATH["unknown-id"], route, complaints.length === 0, () => ({
    expected: `the resource's own shape from GET ${target}`,
    saw: complaints.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "),
  }));
}

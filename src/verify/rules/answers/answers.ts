/** Each route's good answer, to every query that it accepts. */
import { errorCode, seen } from "../../../judge/errors.ts";
import { ANSWER, judgeGood } from "../../../judge/good.ts";
import type { UrlSubject } from "../../../judge/judged.ts";
import type { Run } from "../../run.ts";
import { allSubjects } from "../../subjects.ts";
import { ask } from "../ask.ts";
import { each } from "../guarded.ts";

export async function judgeAnswers(run: Run): Promise<void> {
  await each(run, allSubjects(run), { of: ({ route }) => route, checks: (subject) => judgeSubject(run, subject) });
}

async function judgeSubject(run: Run, subject: UrlSubject): Promise<void> {
  const { route, target } = subject;
  const reply = await ask(run, { route, target });
  if (reply.status === 503 && route.name === "statistics" && route.unavailable.includes(errorCode(reply) ?? "")) {
    run.skip(ANSWER.status, `GET ${target} is ${seen(reply)}, which the API foresees`);
    return;
  }
  run.check(ANSWER.status, route, reply.status === 200, () => ({ expected: `200 to GET ${target}`, saw: seen(reply) }));
  if (reply.status === 200) judgeGood(run, subject, reply);
}

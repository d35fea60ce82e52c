/** Checks a response against the document's headers for its path and status, and its body on request. */
import type { ScriptAnswer } from "../support/scripts/run-http-script.ts";
import { complaint, DOCUMENT, schemaJudge } from "./judge.ts";

type Operation = (typeof DOCUMENT.paths)[string]["get"];
type Answer = Operation["responses"][string];

/** Content-Type says itself what it must be, and Content-Length is HTTP's. */
const OF_BODY = new Set(["content-type", "content-length"]);

const judges = new Map<string, ReturnType<typeof schemaJudge>>();

function judgeOf(schema: unknown): ReturnType<typeof schemaJudge> {
  const text = JSON.stringify(schema);
  const known = judges.get(text) ?? schemaJudge(schema);
  judges.set(text, known);
  return known;
}

/** The operation that a request target, normalised as a URL is, is for; undefined where the document has none. */
export function operationFor(target: string): Operation | undefined {
  const path = URL.parse(`http://shim.example${target}`)?.pathname ?? "";
  const found = Object.keys(DOCUMENT.paths).find((template) =>
    new RegExp(`^${template.replaceAll(".", "\\.").replace(/\{[^}]*\}/, "[^/]*")}$`).test(path),
  );
  return found === undefined ? undefined : DOCUMENT.paths[found]?.get;
}

/** Deviations of this response from the document, a line each. */
export function undocumented(operation: Operation, answer: ScriptAnswer, withBody: boolean): string[] {
  const said = operation.responses[String(answer.status)];
  if (said === undefined) return [`status ${answer.status}`];
  const found = headerComplaints(said, answer);
  const [[type, media] = []] = Object.entries(said.content ?? {});
  if (type === undefined) return answer.body === "" ? found : [...found, "a body"];
  if (!answer.headers["content-type"]?.startsWith(type)) found.push(`content-type ${answer.headers["content-type"]}`);
  if (withBody && answer.body !== "" && type.endsWith("json")) {
    const why = complaint(judgeOf(media?.schema), JSON.parse(answer.body));
    if (why !== undefined) found.push(`body: ${why}`);
  }
  return found;
}

function headerComplaints(said: Answer, { headers }: ScriptAnswer): string[] {
  const names = new Map(Object.entries(said.headers).map(([name, header]) => [name.toLowerCase(), header]));
  const strangers = Object.keys(headers).filter((name) => !names.has(name) && !OF_BODY.has(name));
  const wrong = [...names].flatMap(([name, header]) => {
    const full = "$ref" in header ? DOCUMENT.components.headers[header.$ref.split("/").at(-1) ?? ""] : header;
    const value = headers[name];
    if (value === undefined) return full?.required === true ? [`no ${name}`] : [];
    const why = complaint(judgeOf(full?.schema), value);
    return why === undefined ? [] : [`${name} ${value}: ${why}`];
  });
  return [...strangers.map((name) => `undocumented header ${name}`), ...wrong];
}

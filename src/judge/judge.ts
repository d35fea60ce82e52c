/**
 * Judges one request and its response by the contract only: the same pair always gives the same findings. The command
 * `noonmark verify`, the tests' exchanges and the hostile run use it. Fsck calls `judgeBody` for stored objects. The
 * command adds rules that need a whole deployment: walks, agreement of routes, caches, and values that never fall.
 */
import { matchObject, matchPath } from "../resources/find.ts";
import { judgeCommon } from "./common.ts";
import { CONTRACT } from "./contract.ts";
import { judgeError } from "./errors.ts";
import { header, type Judged, type Reply, type Sent } from "./exchange.ts";
import { judgeNotModified, judgePlain } from "./good.ts";
import { EVERY_PATH, type Finding, Report } from "./report.ts";

/** Applies the rules of every response. */
export function judgeExchange(judged: Judged): void {
  judgeCommon(judged);
  judgeError(judged);
  judgeNotModified(judged);
}

/** Judges a response except for the fields of a 200's body, which `judgeBody` judges. */
export function judgeResponse(sent: Sent, reply: Reply): readonly Finding[] {
  const report = new Report();
  // A target may be an absolute URL (RFC 9112, 3.2.2). Any other non-path target matches no route.
  const url = URL.parse(/^https?:/i.test(sent.target) ? sent.target : `http://reader.example${sent.target}`);
  const match = url !== null && /^(?:\/|https?:)/i.test(sent.target) ? matchPath(url.pathname) : undefined;
  const row = match?.row;
  const route = CONTRACT.find(({ name }) => name === row?.name);
  const file = row?.kind === "file" ? row : undefined;
  judgeExchange({ run: report, route, file, subject: route ?? EVERY_PATH, sent, reply });
  const query = url?.search.slice(1) ?? "";
  const isGood = row?.query === "handler" || (row !== undefined && matchObject(row, query) !== undefined);
  const isPlain = header(reply, "content-encoding") === undefined;
  if (route !== undefined && isGood && isPlain && sent.method === "GET" && reply.status === 200) {
    judgePlain(report, { route, target: sent.target }, reply);
  }
  return report.findings;
}

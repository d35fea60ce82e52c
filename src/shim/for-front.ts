/** The headers for fronts, beside the client's own response (`docs/spec/publishing.md#caches`). */
import { FRONT, HEARD_HEADER, PUBLISHED_HEADER, VALID_UNTIL_HEADER } from "../http/front-headers.ts";
import { edgeAnswer } from "./edge-answer.ts";
import type { FullAnswer } from "./full-answer.ts";

/** To a trusted front, by its FRONT_HEADER. */
export function heardAnswer(full: FullAnswer, said: string, now: number): FullAnswer {
  if (isEdge(said)) {
    const answered = edgeAnswer(full, now, said === FRONT.edge);
    // A CDN's code does not run on an error, so the response reaches the client as it is.
    return answered.status >= 400 ? answered : heard(answered);
  }
  const told: Record<string, string> = {};
  if (full.validUntil !== undefined) told[VALID_UNTIL_HEADER] = String(full.validUntil);
  if (full.status !== 200 && full.edge !== undefined) told[PUBLISHED_HEADER] = "1";
  return heard({ ...full, headers: { ...full.headers, ...told } });
}

/**
 * To an untrusted front: the client's response, with headers that forbid keeping it. Fronts with files older than the setting
 * do not check HEARD_HEADER. A stranger learns nothing and changes nothing for others.
 */
export function unheardAnswer(full: FullAnswer, said: string, now: number): FullAnswer {
  if (isEdge(said)) return edgeAnswer(full, now, false);
  return { ...full, headers: { ...full.headers, [VALID_UNTIL_HEADER]: "0" } };
}

function heard(full: FullAnswer): FullAnswer {
  const said = { [HEARD_HEADER]: "1" };
  const answered = { ...full, headers: { ...full.headers, ...said } };
  const { validator } = full;
  if (validator === undefined) return answered;
  return { ...answered, validator: { ...validator, notModified: { ...validator.notModified, ...said } } };
}

function isEdge(said: string): boolean {
  return said === FRONT.edge || said === FRONT.pass;
}

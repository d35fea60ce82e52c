/** What fronts are told besides the client's own answer (`docs/spec/publishing.md#caches`). */
import { FRONT, HEARD_HEADER, PUBLISHED_HEADER, VALID_UNTIL_HEADER } from "../http/front-headers.ts";
import { edgeAnswer } from "./edge-answer.ts";
import type { FullAnswer } from "./full-answer.ts";

/** To a front that is heard, by what it said. */
export function heardAnswer(full: FullAnswer, said: string, now: number): FullAnswer {
  if (isEdge(said)) {
    const answered = edgeAnswer(full, now, said === FRONT.edge);
    // No code of a CDN's runs on an error: what it gets reaches the client.
    return answered.status >= 400 ? answered : heard(answered);
  }
  const told: Record<string, string> = {};
  if (full.validUntil !== undefined) told[VALID_UNTIL_HEADER] = String(full.validUntil);
  if (full.status !== 200 && full.edge !== undefined) told[PUBLISHED_HEADER] = "1";
  return heard({ ...full, headers: { ...full.headers, ...told } });
}

/**
 * To one that is not: the client's answer, and that nobody may keep it. Fronts whose files are older than the setting
 * do not look for HEARD_HEADER; whoever is no front learns nothing and changes nothing for others.
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

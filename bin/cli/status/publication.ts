/** What `noonmark status` tells: the publisher's last word and a look at the store, made one. */
import type { LeaseRecord } from "../../../publish/lease/lease-record.ts";
import { type PublisherState, publisherState } from "../../../src/resources/publication-status/public-record.ts";
import type { PublishedAnswer } from "./published-answers.ts";

export interface Publication {
  readonly store: string;
  readonly state: PublisherState;
  readonly ageSeconds: number;
  readonly record: LeaseRecord;
  readonly answers: readonly PublishedAnswer[];
  /** What keeps readers from a good answer, or keeps a good answer from being renewed. */
  readonly problems: readonly string[];
}

/** `now` in epoch ms. */
export function publicationOf(
  store: string,
  record: LeaseRecord,
  answers: readonly PublishedAnswer[],
  now: number,
): Publication {
  const ageSeconds = (now - Date.parse(record.renewedAt)) / 1000;
  const damaged = answers.filter(({ problem }) => problem !== null);
  return {
    store,
    state: publisherState(record, now),
    ageSeconds,
    record,
    answers,
    problems: [
      ...damaged.map(({ route, problem }) => `${route}: ${problem}`),
      ...entries(record.report.failed).map(({ key, why }) => `${key}: ${why}`),
      ...entries(record.report.failures).map(({ code, message }) => `${code}: ${message}`),
    ],
  };
}

/** The report is free in form: another version may have written it. */
function entries(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === "object" && one !== null) : [];
}

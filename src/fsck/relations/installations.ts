/** Bodies against the installation that they stand for, and the index against what it names. */
import { INSTALLATIONS_KEY } from "../../http/keys.ts";
import { installationTelemetryKey, TELEMETRY_KEY } from "../../resources/telemetry/keys.ts";
import type { Facts } from "../facts.ts";
import { indexNames, shardFindings } from "../index-names.ts";
import { kindOf } from "../kind.ts";
import type { Finding } from "../rules.ts";

export function* installationFindings(facts: Facts): Generator<Finding> {
  const { keys, damaged, installations } = facts;
  const index = indexNames(facts);
  if (index === undefined) {
    if (keys.has(TELEMETRY_KEY) && !keys.has(INSTALLATIONS_KEY)) {
      yield { rule: "index-missing", key: INSTALLATIONS_KEY, says: "there are answers, but no index" };
    }
    return;
  }
  yield* shardFindings(facts);
  const { configured, histories } = index;
  // A device never heard of is published without a history.
  const isUnheard = installations.get(TELEMETRY_KEY) === configured && !hasTiles(facts, configured);
  if (!histories.has(configured) && index.isReadable(configured) && !isUnheard) {
    yield {
      rule: "index-entry",
      key: INSTALLATIONS_KEY,
      says: `it has no history for ${configured}, the configured one`,
    };
  }
  for (const id of histories.keys()) {
    const key = id === configured ? TELEMETRY_KEY : installationTelemetryKey(id);
    if (!keys.has(key)) yield { rule: "index-entry", key, says: `the index names ${id}, whose telemetry is missing` };
  }
  for (const [key, id] of installations) {
    const kind = kindOf(key);
    const expected = "of" in kind && kind.of !== undefined ? kind.of : configured;
    if (id !== expected && !damaged.has(key)) {
      yield { rule: "installation", key, says: `it is of ${id}, where ${expected} belongs` };
    }
  }
}

function hasTiles({ histories }: Pick<Facts, "histories">, id: string): boolean {
  return [...histories.keys()].some((name) => name.startsWith(`${id} `));
}

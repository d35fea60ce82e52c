/**
 * Checks that adding an activity event type also changes the versions and the contract that depend on it. No other test
 * fails if that is forgotten.
 */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { EVENT_SHAPES } from "../../../src/chain/event-shape.ts";
import { CHAIN_SCHEMA_VERSION } from "../../../src/chain/store/schema.ts";
import { chainActivityFollower } from "../../../src/projections/activity/activity-chain.ts";
import { CHAIN_TYPE_NAMES, MEASUREMENT_TYPES } from "../../../src/projections/activity/event-types.ts";
import { activityEventSchema } from "../../../src/resources/activity/contract.ts";

const fingerprint = (texts: readonly string[]) =>
  createHash("sha256").update(texts.toSorted().join()).digest("hex").slice(0, 12);

test("a change of the decoded events needs a new chain schema version, so that their earlier logs are read", () => {
  const topics = Object.entries(EVENT_SHAPES).flatMap(([kind, shapes]) =>
    [...shapes.keys()].map((topic) => `${kind} ${topic}`),
  );
  expect(`version ${CHAIN_SCHEMA_VERSION}, events ${fingerprint(topics)}`).toMatchInlineSnapshot(
    `"version 3, events 1ad4f2dfb8bd"`,
  );
});

test("a change of the chain's event types needs a new follower version, so that their earlier events are projected", () => {
  const { version } = chainActivityFollower;
  expect(`version ${version}, types ${fingerprint(CHAIN_TYPE_NAMES)}`).toMatchInlineSnapshot(
    `"version 1, types cd3315e24d40"`,
  );
});

test("each event type has a schema in the contract, and the only other schema is never served", () => {
  const forms = activityEventSchema.options.map(({ shape }) => shape.type.value);
  expect(forms).toEqual([...CHAIN_TYPE_NAMES, ...MEASUREMENT_TYPES, "measurement.rpm_record"]);
});

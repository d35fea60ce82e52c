/** Every rule by its name, for `--rules` and the documentation. */
import type { Rule } from "./report/rule.ts";
import { NEWEST_AGREES } from "./rules/agreement-newest.ts";
import { CHAIN_AGREES } from "./rules/agreements-chain.ts";
import { MEASUREMENT_AGREES } from "./rules/agreements-measurement.ts";
import { ANSWER } from "./rules/answers.ts";
import { BODY } from "./rules/bodies.ts";
import { CLOCK } from "./rules/clock.ts";
import { COMMON } from "./rules/common.ts";
import { EDGE } from "./rules/edge.ts";
import { KEYS } from "./rules/edge-keys.ts";
import { ERRORS } from "./rules/errors.ts";
import { FILE } from "./rules/files.ts";
import { EXCHANGE } from "./rules/guarded.ts";
import { KEPT } from "./rules/kept.ts";
import { METHOD } from "./rules/methods.ts";
import { NOT_MODIFIED } from "./rules/not-modified.ts";
import { PATH } from "./rules/paths.ts";
import { QUERY } from "./rules/query.ts";
import { ACTIVITY_QUERY } from "./rules/query-activity.ts";
import { OBSERVATIONS_QUERY } from "./rules/query-observations.ts";
import { REVISION } from "./rules/revision.ts";
import { ACTIVITY_WALK } from "./rules/walk-activity-rules.ts";
import { OBSERVATIONS_WALK } from "./rules/walk-observations.ts";
import { WATCH } from "./rules/watch.ts";

const FAMILIES: readonly Readonly<Record<string, Rule>>[] = [
  EXCHANGE,
  COMMON,
  ERRORS,
  ANSWER,
  BODY,
  CLOCK,
  REVISION,
  NOT_MODIFIED,
  QUERY,
  OBSERVATIONS_QUERY,
  ACTIVITY_QUERY,
  METHOD,
  PATH,
  OBSERVATIONS_WALK,
  ACTIVITY_WALK,
  MEASUREMENT_AGREES,
  NEWEST_AGREES,
  CHAIN_AGREES,
  EDGE,
  KEYS,
  KEPT,
  FILE,
  WATCH,
];

export const ALL_RULES: readonly Rule[] = FAMILIES.flatMap((rules) => Object.values(rules));

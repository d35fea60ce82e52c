/** Every rule by its name, for `--rules` and the documentation. */

import { BODY } from "../judge/bodies.ts";
import { CLOCK } from "../judge/clock.ts";
import { COMMON } from "../judge/common.ts";
import { ERRORS } from "../judge/errors.ts";
import { ANSWER } from "../judge/good.ts";
import type { Rule } from "../judge/rule.ts";
import { NEWEST_AGREES } from "./rules/agreement/agreement-newest.ts";
import { CHAIN_AGREES } from "./rules/agreement/agreements-chain.ts";
import { MEASUREMENT_AGREES } from "./rules/agreement/agreements-measurement.ts";
import { METHOD } from "./rules/answers/methods.ts";
import { NOT_MODIFIED } from "./rules/answers/not-modified.ts";
import { PATH } from "./rules/answers/paths.ts";
import { EDGE } from "./rules/edge/edge.ts";
import { KEYS } from "./rules/edge/edge-keys.ts";
import { KEPT } from "./rules/edge/kept.ts";
import { REVISION } from "./rules/edge/revision.ts";
import { WATCH } from "./rules/edge/watch.ts";
import { FILE } from "./rules/files.ts";
import { EXCHANGE } from "./rules/guarded.ts";
import { QUERY } from "./rules/query/query.ts";
import { ACTIVITY_QUERY } from "./rules/query/query-activity.ts";
import { OBSERVATIONS_QUERY } from "./rules/query/query-observations.ts";
import { ACTIVITY_WALK } from "./rules/walks/walk-activity-rules.ts";
import { OBSERVATIONS_WALK } from "./rules/walks/walk-observations.ts";

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

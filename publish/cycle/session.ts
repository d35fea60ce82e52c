import type { Publication } from "../../src/resources/publication.ts";
import type { ResourceName } from "../../src/resources/table.ts";
import type { BuildSchedule } from "../answers/build-schedule.ts";
import type { PlanOptions } from "../answers/plan-answer.ts";
import type { BehindList } from "../asof/behind-list.ts";
import type { MovedInstallations } from "../due/moved-installations.ts";
import type { Histories } from "../observations/histories.ts";
import type { TilePace } from "../observations/tile-pace.ts";

/** What a publisher knows from cycle to cycle, and what it was told to publish. */
export interface Session extends PlanOptions {
  /** Answers whose published Core has been asked of the store. */
  readonly coresAsked: Set<string>;
  readonly schedule: BuildSchedule;
  /** Answers, and installations, whose sources are behind what was published. */
  readonly behind: BehindList;
  readonly histories: Histories;
  readonly moved: MovedInstallations;
  readonly tilePace: TilePace;
  /** Of the configured installation, telemetry aside. */
  readonly publications: readonly Publication[];
  selected(resource: ResourceName): boolean;
}

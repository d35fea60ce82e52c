/**
 * Keeps the activity's tiles in step with its events, whether they are remembered or were found in the store. In steps:
 * a process that dies between two of them goes on with the next.
 */
import type { Database } from "better-sqlite3";
import { activityChanges, forgetChanges, newestChange } from "../../src/projections/activity/activity-events.ts";
import {
  forgetFound,
  foundActivity,
  isFound,
  newlyFound,
  setFoundBegun,
} from "../../src/projections/activity/found-tiles.ts";
import { TileTree } from "../../src/projections/activity/tile-tree.ts";
import { readTiling, type Tiling, writeTiling } from "../../src/projections/activity/tiling.ts";
import { StepBudget } from "../../src/projections/step-budget.ts";
import type { ActivityContext } from "../../src/resources/activity/event.ts";
import { CATEGORIES } from "../../src/resources/activity/keys.ts";
import type { CategoryEvents } from "../../src/resources/activity/tiles/tile-body.ts";
import { cutLevel, levelsOf } from "./cut.ts";
import { adoptNames, restoreCut } from "./restore.ts";

/** In microseconds. */
const COST_OF_A_CHANGE = 15;

/** What tiles are cut for. */
interface Goal {
  /** What their texts depend on besides the events. */
  readonly basis: string;
  readonly newestChange: number;
}

/**
 * One step, without a budget all of it, to where every category's tiles are what the projections hold; true while there
 * is more. Synchronous; idempotent; nothing is put. A category of which neither is known is left: what is in the store
 * is looked up first (`ActivityRecall`).
 */
export function planActivity(projections: Database, context: ActivityContext, budget = new StepBudget()): boolean {
  const goal: Goal = {
    basis: JSON.stringify([context.installationId, context.target, String(context.chainId), context.releaseId]),
    newestChange: newestChange(projections),
  };
  const due = CATEGORIES.filter((category) => {
    const tiling = readTiling(projections, category);
    return (tiling !== undefined && !isReached(tiling, goal)) || isFound(projections, category);
  });
  if (due.length === 0) return false;
  const step = projections.transaction((): boolean => {
    if (!due.every((category) => planCategory({ projections, category, context }, goal, budget))) return true;
    forgetChanges(projections, goal.newestChange);
    return false;
  });
  return step();
}

function isReached({ basis, changeNo, isWhole }: Tiling, goal: Goal): boolean {
  return basis === goal.basis && changeNo === goal.newestChange && isWhole;
}

/** Whether the category is whole. */
function planCategory(own: CategoryEvents, goal: Goal, budget: StepBudget): boolean {
  const { projections, category } = own;
  if (budget.isSpent) return false;
  const tree = new TileTree(projections, category);
  const tiling = begin(own, tree, goal, budget);
  const isCut =
    takeChanges(own, tree, { tiling, goal }, budget) &&
    levelsOf(own, tree).every((level) => cutLevel(level, tree, budget)) &&
    !budget.isSpent;
  if (!isCut) return false;
  const found = foundActivity(projections, category);
  if (found !== undefined) {
    adoptNames(own, found, budget);
    forgetFound(projections, category);
  }
  const { version = 0 } = readTiling(projections, category) ?? {};
  writeTiling(projections, category, { basis: goal.basis, changeNo: goal.newestChange, version, isWhole: true });
  return true;
}

/** Where what stands was not cut for the goal's basis, or something was found since: where to go on from instead. */
function begin(own: CategoryEvents, tree: TileTree, goal: Goal, budget: StepBudget): Tiling {
  const { projections, category } = own;
  const before = readTiling(projections, category);
  const found = newlyFound(projections, category);
  const goesOn = before?.basis === goal.basis;
  if (goesOn && found === undefined) return before;
  // What is there of the names is seen once the tiles are cut.
  if (found !== undefined) tree.forgetNames();
  if (found?.cut) restoreCut(own, tree, found.cut, budget);
  else if (!goesOn) tree.removeAll();
  setFoundBegun(projections, category);
  const tiling: Tiling = {
    basis: goal.basis,
    changeNo: goesOn && !found?.cut ? before.changeNo : goal.newestChange,
    version: (before?.version ?? 0) + 1,
    isWhole: false,
  };
  writeTiling(projections, category, tiling);
  return tiling;
}

/** The tiles that cover what has come or gone are to be cut anew; what lies above all of them touches none. */
function takeChanges(
  { projections, category }: CategoryEvents,
  tree: TileTree,
  { tiling, goal }: { readonly tiling: Tiling; readonly goal: Goal },
  budget: StepBudget,
): boolean {
  if (tiling.changeNo === goal.newestChange) return true;
  const most = Math.max(1, budget.count(COST_OF_A_CHANGE));
  const changes = activityChanges(projections, category, tiling.changeNo, most);
  for (const { key } of changes) tree.mustCut(1, key);
  budget.spend(changes.length * COST_OF_A_CHANGE);
  const isAll = changes.length < most;
  const changeNo = isAll ? goal.newestChange : (changes.at(-1)?.no ?? tiling.changeNo);
  // Nothing is planned before the category is whole, so that one change of what readers get is one of the version.
  const version = tiling.version + (changes.length > 0 && tiling.isWhole ? 1 : 0);
  const isWhole = tiling.isWhole && changes.length === 0;
  writeTiling(projections, category, { ...tiling, changeNo, version, isWhole });
  return isAll;
}

import type { TreeCommand } from "../cli/completion/command-tree.ts";

/** The tree of commands, so that `--help` and `completion` load none. The build sets it; it is undefined in source. */
export const KNOWN_TREE: readonly TreeCommand[] | undefined = undefined;

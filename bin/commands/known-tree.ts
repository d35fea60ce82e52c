import type { TreeCommand } from "../cli/completion/command-tree.ts";

/** Every command, so that `--help` and `completion` load none. The build puts it here; the sources have none. */
export const KNOWN_TREE = undefined as readonly TreeCommand[] | undefined;

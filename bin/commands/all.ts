import type { Command } from "commander";

/** Each command's file adds itself to the program; the order is that of `--help`. */
export const COMMANDS: readonly ((program: Command) => void)[] = [];

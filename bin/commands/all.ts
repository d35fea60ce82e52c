import type { Command } from "commander";
import { registerCdn } from "./cdn.ts";
import { registerChain } from "./chain.ts";
import { registerIngest } from "./ingest.ts";
import { registerInit } from "./init.ts";
import { registerLease } from "./lease.ts";
import { registerPublish } from "./publish.ts";
import { registerRebuild } from "./rebuild.ts";
import { registerRender } from "./render.ts";
import { registerServe } from "./serve.ts";
import { registerStatus } from "./status.ts";

/** Each command's file adds itself to the program; the order is that of `--help`. */
export const COMMANDS: readonly ((program: Command) => void)[] = [
  registerInit,
  registerIngest,
  registerPublish,
  registerServe,
  registerRender,
  registerStatus,
  registerRebuild,
  registerLease,
  registerCdn,
  registerChain,
];

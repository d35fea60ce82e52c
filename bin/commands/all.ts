import type { Command } from "commander";

type Register = (program: Command) => void;

/**
 * Each command by its name; the order is that of `--help`. Only the one that is called is loaded: the chain and S3, which
 * `ingest` never uses, would cost it 0.3 s of CPU and 30 MB.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  init: async () => (await import("./operating/init.ts")).registerInit,
  demo: async () => (await import("./operating/demo.ts")).registerDemo,
  config: async () => (await import("./operating/config.ts")).registerConfig,
  ingest: async () => (await import("./intake/ingest.ts")).registerIngest,
  schema: async () => (await import("./intake/schema.ts")).registerSchema,
  publish: async () => (await import("./publishing/publish.ts")).registerPublish,
  serve: async () => (await import("./reading/serve.ts")).registerServe,
  render: async () => (await import("./publishing/render.ts")).registerRender,
  status: async () => (await import("./operating/status.ts")).registerStatus,
  cost: async () => (await import("./operating/cost.ts")).registerCost,
  doctor: async () => (await import("./operating/doctor.ts")).registerDoctor,
  rebuild: async () => (await import("./publishing/rebuild.ts")).registerRebuild,
  lease: async () => (await import("./publishing/lease.ts")).registerLease,
  cdn: async () => (await import("./reading/cdn.ts")).registerCdn,
  chain: async () => (await import("./publishing/chain.ts")).registerChain,
  verify: async () => (await import("./operating/verify.ts")).registerVerify,
  openapi: async () => (await import("./reading/openapi.ts")).registerOpenapi,
  fsck: async () => (await import("./operating/fsck.ts")).registerFsck,
  completion: async () => (await import("./operating/completion.ts")).registerCompletion,
};

/** It reads the whole tree. */
const NEEDS_ALL = "completion";

/** What adds the called command to the program; all of them where the arguments name none. */
export function commandsFor(called: string | undefined): Promise<Register[]> {
  const names =
    called !== undefined && called !== NEEDS_ALL && Object.hasOwn(COMMANDS, called) ? [called] : Object.keys(COMMANDS);
  return Promise.all(names.map((name) => (COMMANDS[name] as () => Promise<Register>)()));
}

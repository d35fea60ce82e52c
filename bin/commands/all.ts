import type { Command } from "commander";

type Register = (program: Command) => void;

/**
 * Each command by its name; the order is that of `--help`. Only the one that is called is loaded: the chain and S3, which
 * `ingest` never uses, would cost it 0.3 s of CPU and 30 MB.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  init: async () => (await import("./init.ts")).registerInit,
  ingest: async () => (await import("./ingest.ts")).registerIngest,
  schema: async () => (await import("./schema.ts")).registerSchema,
  publish: async () => (await import("./publish.ts")).registerPublish,
  serve: async () => (await import("./serve.ts")).registerServe,
  render: async () => (await import("./render.ts")).registerRender,
  status: async () => (await import("./status.ts")).registerStatus,
  doctor: async () => (await import("./doctor.ts")).registerDoctor,
  rebuild: async () => (await import("./rebuild.ts")).registerRebuild,
  lease: async () => (await import("./lease.ts")).registerLease,
  cdn: async () => (await import("./cdn.ts")).registerCdn,
  chain: async () => (await import("./chain.ts")).registerChain,
  verify: async () => (await import("./verify.ts")).registerVerify,
  openapi: async () => (await import("./openapi.ts")).registerOpenapi,
  fsck: async () => (await import("./fsck.ts")).registerFsck,
};

/** What adds the called command to the program; all of them where the arguments name none. */
export function commandsFor(called: string | undefined): Promise<Register[]> {
  const names = called !== undefined && Object.hasOwn(COMMANDS, called) ? [called] : Object.keys(COMMANDS);
  return Promise.all(names.map((name) => (COMMANDS[name] as () => Promise<Register>)()));
}

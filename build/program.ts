/**
 * The command line as a few ESM files in dist/. A group of modules that run together is one file, and a command loads
 * only its group: starting Node costs more for each file than for each line.
 */
import { globSync } from "node:fs";
import { join, relative } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import type { TreeCommand } from "../bin/cli/completion/command-tree.ts";

const ROOT = join(import.meta.dirname, "..");

/**
 * The modules that a dynamic import loads together: a command with those that it shares most with. Another module that is imported
 * so is a file of its own.
 */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  publisher: [
    "bin/commands/publishing/publish.ts",
    "bin/commands/publishing/render.ts",
    "bin/cli/publish/publish-once.ts",
  ],
  cadence: ["bin/cli/publish/publish-on-cadence.ts"],
  chain: [
    "bin/cli/chain/configured-chain.ts",
    "src/chain/deployment.ts",
    "src/chain/rpc/rpc-node.ts",
    "src/chain/rpc/rpc-error.ts",
    "src/chain/rpc/node-responses.ts",
  ],
  intake: ["bin/commands/intake/ingest.ts"],
  shim: ["bin/commands/reading/serve.ts"],
  s3: ["src/object-store/s3/s3-store.ts"],
  sample: ["demo/chain/demo-chain.ts"],
  inspection: [
    "bin/commands/operating/status.ts",
    "bin/commands/operating/fsck.ts",
    "bin/cli/repair.ts",
    "bin/commands/operating/verify.ts",
    "bin/commands/intake/ledger.ts",
  ],
  generators: [
    "bin/commands/operating/init.ts",
    "bin/commands/operating/key.ts",
    "bin/commands/operating/demo.ts",
    "bin/commands/reading/cdn.ts",
  ],
  metrics: ["bin/cli/metrics/publisher-metrics.ts", "bin/cli/metrics/registries.ts"],
};

/**
 * Modules that this many groups need are one file, which every group loads. Otherwise each set of groups would have its own.
 */
const COMMON_TO = 5;
/** Bytes of sources. A part that only some groups share is common too if it is smaller and needs nothing else. */
const SMALL_BYTES = 12_000;

/** A package that is installed beside the program: it has native code, which a bundle cannot hold. */
const INSTALLED = ["better-sqlite3"];
/**
 * Modules that only re-export packages, each with its file in dist/. Split like the rest of the program, the S3 SDK would be
 * forty files, and NATS' client would divide those that other commands load.
 */
const APART: Readonly<Record<string, string>> = {
  "src/object-store/s3/sdk.ts": "s3-sdk",
  "bin/cli/intake/follow/stream/nats-client.ts": "nats-client",
};

/**
 * An `import` of these reads all their exports, among them a WebSocket for which Node loads its HTTP client: 40 ms. Commands that
 * send no request do not need it.
 */
const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  setup({ onResolve, onLoad }) {
    const filter = /^(node:)?https?$/;
    onResolve({ filter }, ({ path, kind }) => (kind === "dynamic-import" ? undefined : { path, namespace: "builtin" }));
    onLoad({ filter, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  outdir: "dist",
  entryNames: "[name]",
  chunkNames: "[name]-[hash]",
  format: "esm",
  platform: "node",
  target: "node22.12",
  // If a package has both, its ES modules: unused parts of them are left out.
  mainFields: ["module", "main"],
  external: INSTALLED,
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
  // CommonJS packages call `require` for Node's own modules.
  banner: { js: 'import{createRequire as __of}from"node:module";const require=__of(import.meta.url);' },
} as const satisfies BuildOptions;

/** Writes the program's files into dist/. `tree` lists its commands: `--help` then loads none of them. */
export async function buildProgram(tree: readonly TreeCommand[]): Promise<Metafile[]> {
  const packages = await Promise.all(
    Object.entries(APART).map(([path, name]) =>
      build({ ...COMMON, entryPoints: { [name]: path }, plugins: [lazyBuiltins] }),
    ),
  );
  const options = {
    ...COMMON,
    entryPoints: { noonmark: "bin/main.ts" },
    splitting: true,
  };
  const plugins = [packagesApart, lazyBuiltins, knownCommands(tree)];
  const first = await build({ ...options, write: false, plugins: [grouped([]), ...plugins] });
  const program = await build({ ...options, plugins: [grouped(commonModules(first.metafile)), ...plugins] });
  return [...packages, program].map(({ metafile }) => metafile);
}

/** Our modules in the common file. */
function commonModules({ inputs }: Metafile): string[] {
  const importsOf = (file: string) =>
    (inputs[file]?.imports ?? []).filter(({ kind, external }) => kind !== "dynamic-import" && external !== true);
  const groupsOf = new Map<string, string[]>();
  for (const [group, files] of Object.entries(GROUPS)) {
    const follow = (file: string): void => {
      const groups = groupsOf.get(file) ?? [];
      if (groups.includes(group)) return;
      groupsOf.set(file, [...groups, group]);
      for (const { path } of importsOf(file)) follow(path);
    };
    files.forEach(follow);
  }
  const bytesOf = new Map<string, number>();
  for (const [file, groups] of groupsOf) {
    const set = groups.join();
    bytesOf.set(set, (bytesOf.get(set) ?? 0) + (inputs[file]?.bytes ?? 0));
  }
  const ours = [...groupsOf].filter(([file]) => file.endsWith(".ts"));
  const common = new Set(ours.filter(([, groups]) => groups.length >= COMMON_TO).map(([file]) => file));
  // A module that more groups need comes before those that import it.
  for (const [file, groups] of ours.toSorted(([, one], [, other]) => other.length - one.length)) {
    const isSmall = groups.length > 1 && (bytesOf.get(groups.join()) ?? 0) < SMALL_BYTES;
    if (isSmall && importsOf(file).every(({ path }) => common.has(path))) common.add(file);
  }
  return [...common];
}

const GROUP_OF = new Map(
  Object.entries(GROUPS).flatMap(([group, files]) => files.map((file) => [join(ROOT, file), group] as const)),
);

/** It needs nothing else, so that it does not load the common modules either. */
const ALONE = "bin/commands/operating/completion.ts";
const UNGROUPED = globSync("bin/commands/*/*.ts", { cwd: ROOT }).filter(
  (file) => !GROUP_OF.has(join(ROOT, file)) && file !== ALONE,
);
if (UNGROUPED.length > 0) throw new Error(`${UNGROUPED.join(", ")}: add each command to a group of build/program.ts`);

/** A dynamic import of a module in a group loads the whole group. The names that its modules export are distinct. */
function grouped(common: readonly string[]): Plugin {
  return {
    name: "grouped",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        const group = kind === "dynamic-import" ? GROUP_OF.get(join(resolveDir, path)) : undefined;
        return group === undefined ? undefined : { path: group, namespace: "group" };
      });
      onLoad({ filter: /.*/, namespace: "group" }, ({ path }) => ({
        contents: [
          ...common.map((file) => `import "./${file}";`),
          ...(GROUPS[path] ?? []).map((file) => `export * from "./${file}";`),
        ].join("\n"),
        resolveDir: ROOT,
      }));
    },
  };
}

const packagesApart: Plugin = {
  name: "packages-apart",
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const name = APART[relative(ROOT, join(resolveDir, path))];
      return name === undefined ? undefined : { path: `./${name}.js`, external: true };
    });
  },
};

function knownCommands(tree: readonly TreeCommand[]): Plugin {
  const file = join(ROOT, "bin/commands/known-tree.ts");
  return {
    name: "known-commands",
    setup({ onLoad }) {
      onLoad({ filter: /\/known-tree\.ts$/ }, ({ path }) =>
        path === file ? { contents: `export const KNOWN_TREE = ${JSON.stringify(tree)};` } : undefined,
      );
    },
  };
}

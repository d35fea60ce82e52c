/**
 * Checks every regular expression of the program. `recheck` proves that each is linear or finds an input that makes it
 * backtrack. Each must also process its longest input within 5 ms, whatever it contains.
 */
import { appendFileSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { check } from "recheck";
import { describe, expect, test } from "vitest";
import { CACHED_URLS } from "../cdn-config/generate/plan.ts";
import { Secrets } from "../src/chain/rpc/secrets.ts";
import { PATH_PARAMETERS } from "../src/http/route.ts";
import { PAGE_CHARACTERS } from "../src/judge/files.ts";
import { LINE_MAX } from "../src/ledger/intake/decode/decode-lines.ts";
import { MAX_HEAD_BYTES } from "../src/shim/node/limits.ts";
import { fastestMs } from "./support/fastest-ms.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Excluded files: their expressions run only on texts of this repository, at build time or at start. */
const TRUSTED_INPUT_FILES = [
  "bin/cli/completion/command-tree.ts",
  "cdn-config/generate/bundle.ts",
  "generate/intake-reference.ts",
  "src/openapi/",
  "site/build.ts",
  "site/reference/",
];

/** Maximum input length in characters, by file or folder, if it is not a request head. The deepest entry counts. */
const LIMITS: Readonly<Record<string, number>> = {
  // A line of facts, and each value in it (docs/spec/intake.md#lines).
  "src/values/": LINE_MAX,
  "src/ledger/": LINE_MAX,
  "src/values/printable.ts": MAX_HEAD_BYTES,
  // A key of the store (object-store/check-object.ts).
  "src/object-store/filesystem/format.ts": 1_024,
  // A page that `verify` reads.
  "src/verify/files.ts": PAGE_CHARACTERS,
  "src/judge/files.ts": PAGE_CHARACTERS,
};
/** The maximum length of a request head. A node's error and a field of a response are not longer. */
const HEAD_LIMIT = MAX_HEAD_BYTES;
const ALLOWED_MS = 5;

interface Found {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

function expressionsOf(files: readonly string[]): { readonly literals: Found[]; readonly built: string[] } {
  const literals: Found[] = [];
  const built: string[] = [];
  for (const file of files) {
    const text = readFileSync(ROOT + file, "utf8");
    const { program, errors } = parseSync(file, text);
    expect(errors, file).toEqual([]);
    visit(program, (node) => {
      if (node.type === "Literal" && node.regex) {
        const { pattern: source, flags } = node.regex as { pattern: string; flags: string };
        literals.push({ file, source, flags });
      }
      if ((node.callee as Node | undefined)?.name === "RegExp") built.push(file);
    });
  }
  return { literals, built };
}

type Node = Readonly<Record<string, unknown>>;

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, see);
  else if (typeof value === "object" && value !== null && !(value instanceof RegExp)) {
    if ("type" in value) see(value as Node);
    for (const one of Object.values(value)) visit(one, see);
  }
}

const FILES = globSync(
  ["src/**/*.ts", "bin/**/*.{ts,js}", "publish/**/*.ts", "cdn-config/generate/**/*.{ts,js}", "site/**/*.{ts,tsx}"],
  { cwd: ROOT, exclude: ["cdn-config/generate/cloudflare/worker.js"] },
).filter((file) => !TRUSTED_INPUT_FILES.some((own) => file.startsWith(own)));
const { literals, built } = expressionsOf(FILES);

/** Expressions that the program composes, by file. Undefined means that they are checked as literals elsewhere. */
const COMPOSED: Readonly<Record<string, readonly RegExp[] | undefined>> = {
  "cdn-config/generate/cloudfront/table.ts": CACHED_URLS.map(({ pattern }) => new RegExp(pattern)),
  "src/fsck/objects.ts": [new RegExp(`assets/${PATH_PARAMETERS.asset}`, "g")],
  "src/object-store/filesystem/format.ts": [/.{1,200}/g],
  "src/resources/find.ts": [
    /^v1\/public\/installations\/~[^/]+\/observations\//,
    /^v1\/public\/installations\/~[^/]+\/telemetry$/,
  ],
  "src/ledger/intake/decode/fields.ts": [
    /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/,
    /^0[xX][0-9a-fA-F]{64}$/,
  ],
  "src/chain/rpc/secrets.ts": [
    new Secrets(["https://user:aaaaaaaa@node.example/v3/0123456789abcdef"]).pattern as RegExp,
  ],
};

test("every expression that the program composes is checked here", () => {
  expect([...new Set(built)].toSorted()).toEqual(Object.keys(COMPOSED).toSorted());
});

/** By expression: where it is used, and the longest input of all its uses. */
const ALL = new Map<string, Found & { readonly limit: number }>();
const composed = Object.entries(COMPOSED).flatMap(([file, expressions = []]) =>
  expressions.map(({ source, flags }) => ({ file, source, flags })),
);
for (const found of [...literals, ...composed]) {
  const name = `/${found.source}/${found.flags}`;
  ALL.set(name, { ...found, limit: Math.max(limitOf(found.file), ALL.get(name)?.limit ?? 0) });
}

function limitOf(file: string): number {
  const [deepest] = Object.keys(LIMITS)
    .filter((place) => file.startsWith(place))
    .sort((a, b) => b.length - a.length);
  return LIMITS[deepest ?? ""] ?? HEAD_LIMIT;
}

/** Large expressions are searched with a fixed random seed. */
const PARAMETERS = { timeout: 60_000, randomSeed: 1 } as const;
/** Composed of the operator's own addresses. It is too large for the search, so only its time is checked. */
const JUDGED_BY_TIME = "src/chain/rpc/secrets.ts";
const SEARCHED = [...ALL].filter(([, { file, source }]) => file !== JUDGED_BY_TIME || !source.includes("(?:25)*"));

describe.concurrent("no input makes a regular expression backtrack", () => {
  test.each(SEARCHED)("%s", async (_, { source, flags, file }) => {
    const { status, ...found } = await check(source, flags, PARAMETERS);
    const attack = "attack" in found && found.attack !== undefined ? found.attack.pattern : undefined;
    expect({ file, status, attack }).toEqual({ file, status: "safe", attack: undefined });
  });
});

/** Long inputs that start as the expression does and continue with its repeated parts. */
function longInputs(source: string, limit: number): string[] {
  const units = [...new Set(source.replace(/\\[a-zA-Z]/g, "").replaceAll("\\", ""))];
  const pumps = [
    ...units,
    " ",
    "\t",
    "a",
    "0",
    "\u{e9}",
    ...units.map((unit, index) => unit + (units[index + 1] ?? "")),
  ];
  const head = /^\^?((?:[^\\[(.*+?{|^$]|\\[^a-zA-Z])*)/.exec(source)?.[1]?.replaceAll("\\", "") ?? "";
  return pumps.flatMap((pump) => {
    const body = pump.repeat(Math.ceil(limit / pump.length));
    return ["", head].map((start) => `${start}${body}`.slice(0, limit - 1) + "\u0000");
  });
}

describe("each regular expression processes its longest input within 5 ms", () => {
  test.each([...ALL])("%s", (name, { source, flags, file, limit }) => {
    const expression = new RegExp(source, flags);
    const worst = Math.max(...longInputs(source, limit).map((input) => fastestMs(() => run(expression, input))));
    if (process.env.NOONMARK_MEASURED !== undefined) {
      appendFileSync(process.env.NOONMARK_MEASURED, `${worst}\t${limit}\t${file}\t${name}\n`);
    }
    expect(worst).toBeLessThan(ALLOWED_MS);
  });
});

function run(expression: RegExp, input: string): void {
  if (expression.global) input.replace(expression, "");
  else expression.exec(input);
}

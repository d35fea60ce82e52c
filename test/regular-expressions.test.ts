/**
 * Checks every regular expression of the program. `recheck` proves that each is linear or finds an input that makes it
 * backtrack.
 */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { check } from "recheck";
import { describe, expect, test } from "vitest";
import { Secrets } from "../src/chain/rpc/secrets.ts";
import { PATH_PARAMETERS } from "../src/http/route.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Excluded files: their expressions run only on texts of this repository, at build time or at start. */
const TRUSTED_INPUT_FILES = ["scripts/intake-reference.ts", "src/openapi/", "site/build.ts", "site/reference/"];

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

const FILES = globSync(["src/**/*.ts", "bin/**/*.{ts,js}", "publish/**/*.ts", "site/**/*.{ts,tsx}"], {
  cwd: ROOT,
}).filter((file) => !TRUSTED_INPUT_FILES.some((own) => file.startsWith(own)));
const { literals, built } = expressionsOf(FILES);

/** Expressions that the program composes, by file. Undefined means that they are checked as literals elsewhere. */
const COMPOSED: Readonly<Record<string, readonly RegExp[] | undefined>> = {
  "src/verify/store/fsck.ts": [new RegExp(`assets/${PATH_PARAMETERS.asset}`, "g")],
  "src/object-store/filesystem/format.ts": [/.{1,200}/g],
  "src/resources/find.ts": [
    /^v1\/public\/installations\/~[^/]+\/observations\//,
    /^v1\/public\/installations\/~[^/]+\/telemetry$/,
  ],
  "src/ledger/intake/decode/fields.ts": [
    /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/,
    /^0[xX][0-9a-fA-F]{64}$/,
  ],
  "src/chain/rpc/secrets.ts": [new Secrets(["https://node.example/01234567"]).pattern as RegExp],
};

test("every expression that the program composes is checked here", () => {
  expect([...new Set(built)].toSorted()).toEqual(Object.keys(COMPOSED).toSorted());
});

const ALL = new Map<string, Found>();
const composed = Object.entries(COMPOSED).flatMap(([file, expressions = []]) =>
  expressions.map(({ source, flags }) => ({ file, source, flags })),
);
for (const found of [...literals, ...composed]) ALL.set(`/${found.source}/${found.flags}`, found);

/** An expression that would give a large automaton is searched from a fixed random seed. */
const PARAMETERS = { maxRepeatCount: 5_000, maxNFASize: 5_000, timeout: 60_000, randomSeed: 1 } as const;
describe.concurrent("no input makes a regular expression backtrack", () => {
  test.each([...ALL])("%s", async (_, { source, flags, file }) => {
    const { status, ...found } = await check(source, flags, PARAMETERS);
    const attack = "attack" in found && found.attack !== undefined ? found.attack.pattern : undefined;
    expect({ file, status, attack }).toEqual({ file, status: "safe", attack: undefined });
  });
});

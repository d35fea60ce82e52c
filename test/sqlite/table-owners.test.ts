/** Only the module that owns a table has SQL on it; others call its typed reads. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** A file owns the tables that it creates, unless its folder does. */
const OWNING_FOLDERS = ["src/ledger/", "src/chain/store/"];
/** Exempt: reads every table of an open file by the names in that file. */
const GENERIC = ["src/ledger/check.ts"];

const FILES = globSync("{src,publish,bin,demo,generate,cdn-config,build}/**/*.ts").toSorted();
const TEXTS = new Map(FILES.map((file) => [file, withoutComments(readFileSync(file, "utf8"))]));

const NAMED =
  /\b(?:FROM|JOIN|INTO|UPDATE|TABLE(?: IF (?:NOT )?EXISTS)?|INDEX \w+ ON|TRIGGER \w+ (?:BEFORE|AFTER) \w+ ON)\s+(\$\{|[a-z_]+)/g;

/** By table: the folder or file whose SQL may name it. */
const owners = new Map<string, string>();
for (const [file, text] of TEXTS) {
  for (const [, table = ""] of text.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?([a-z_]+)/g)) {
    owners.set(table, OWNING_FOLDERS.find((folder) => file.startsWith(folder)) ?? file);
  }
}

test("every table has an owner, and no two modules create the same one", () => {
  const created = [...TEXTS].flatMap(([file, text]) =>
    [...text.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?([a-z_]+)/g)].map(([, table]) => `${table} ${file}`),
  );
  expect(new Set(created.map((line) => line.split(" ")[0])).size).toBe(created.length);
  for (const table of ["receipt", "event", "cursor", "totals"]) expect(owners.has(table), table).toBe(true);
});

test("no SQL names another module's table", () => {
  const found = [...TEXTS].flatMap(([file, text]) =>
    [...text.matchAll(NAMED)].flatMap(([, table = ""]) => {
      const owner = owners.get(table);
      return owner === undefined || file.startsWith(owner) ? [] : [`${file} names ${table} of ${owner}`];
    }),
  );
  expect(found).toEqual([]);
});

test("a file that composes SQL lists only its own tables", () => {
  const found = [...TEXTS].flatMap(([file, text]) => {
    const isComposed = [...text.matchAll(NAMED)].some(([, table]) => table === "${");
    if (!isComposed || GENERIC.includes(file)) return [];
    const quoted = [...text.matchAll(/"([a-z_]+)"/g)].map(([, name = ""]) => name);
    return quoted.filter((name) => !file.startsWith(owners.get(name) ?? file)).map((name) => `${file} lists ${name}`);
  });
  expect(found).toEqual([]);
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
}

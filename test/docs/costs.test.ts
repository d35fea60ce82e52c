// The documents' price table is the one that `noonmark cost` reads.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readPrices } from "../../bin/cli/cost/prices.ts";

const page = readFileSync(new URL("../../docs/costs.md", import.meta.url), "utf8");

test("docs/costs.md has prices.json's date and figures", () => {
  const { asOf, providers } = readPrices(undefined);
  expect(page).toContain(`of ${asOf}`);
  const rows = [...page.matchAll(/^\| \[(.+?)\]\((.+?)\)(.*?) \| (\S+) \| (\S+) \| free \|/gm)];
  const written = rows.map(([, name = "", url = "", where = "", a, b]) => [name + where, url, Number(a), Number(b)]);
  expect(written).toEqual(
    Object.values(providers).map(({ name, source, perMillion }) => [
      name,
      /^[^,\s]+/.exec(source)?.[0],
      perMillion.put,
      perMillion.get,
    ]),
  );
  for (const { perMillion } of Object.values(providers)) {
    expect(perMillion).toMatchObject({ list: perMillion.put, delete: 0 });
  }
});

// packaging/man/noonmark.1 is what the commands say now. After a change: npx vitest run --project unit test/docs/manual.test.ts -u
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { manualPage } from "../../bin/cli/manual/manual-page.ts";
import { commandsFor } from "../../bin/commands/all.ts";

const ROOT = join(import.meta.dirname, "../..");
const { version, man } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  version: string;
  man: [string];
};

async function page(): Promise<string> {
  const program = new Command("noonmark").description(
    "publishes accepted measurements and safe chain state as static HTTP answers",
  );
  for (const register of await commandsFor(undefined)) register(program);
  return manualPage(program, version);
}

test("the manual page is made from the commands", async () => {
  await expect(await page()).toMatchFileSnapshot(join(ROOT, ...man));
});

test("what begins a line or holds a backslash is text", () => {
  const program = new Command("noonmark").description("x");
  program.command("odd").description(".TH it's a \\fB trap");
  const lines = manualPage(program, "1").split("\n");
  expect(lines).toContain("\\&.TH it's a \\efB trap.");
});

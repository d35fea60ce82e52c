// The manual page's escapes. The page itself is generated (generate/all.ts).
import { Command } from "commander";
import { expect, test } from "vitest";
import { manualPage } from "../../bin/cli/manual/manual-page.ts";

test("what begins a line or holds a backslash is text", () => {
  const program = new Command("noonmark").description("x");
  program.command("odd").description(".TH it's a \\fB trap");
  const lines = manualPage(program, "1").split("\n");
  expect(lines).toContain("\\&.TH it's a \\efB trap.");
});

/** An optional dependency that is not installed. */
import { expect, test } from "vitest";
import { optionalPackage } from "../../src/files/package-file.ts";

test("a missing optional package has a code and a name; another failure of its import stays", async () => {
  const name = "no-such-package";
  await expect(optionalPackage(name, () => import(name))).rejects.toMatchObject({
    code: "package_missing",
    message: "the package no-such-package is not installed",
  });
  await expect(optionalPackage("zod", () => import(name))).rejects.toMatchObject({ code: "ERR_MODULE_NOT_FOUND" });
});

/** The price of requests (docs/costs.md): the table in the documents, or the operator's own. */
import { readFileSync } from "node:fs";
import * as z from "zod";
import { packageFile } from "../../../src/files/package-file.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";

const amount = z.number().nonnegative();
const providerSchema = z.strictObject({
  name: z.string().min(1),
  /** For a million requests. */
  perMillion: z.strictObject({ put: amount, list: amount, get: amount, delete: amount }),
  /** Requests a month: puts and lists (class A), gets (class B). */
  free: z.strictObject({ classA: amount, classB: amount }),
  source: z.string(),
});
const pricesSchema = z.strictObject({
  asOf: z.iso.date(),
  currency: z.string().min(1),
  providers: z.record(z.string(), providerSchema),
});

export type Provider = z.infer<typeof providerSchema>;
export type Prices = z.infer<typeof pricesSchema>;

/** `path`: a file like docs/prices.json, which is the default. Throws `Failure` prices_unreadable, invalid_prices. */
export function readPrices(path: string | undefined): Prices {
  const file = path ?? packageFile("docs/prices.json");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new Failure("prices_unreadable", `${file} cannot be read: ${(cause as Error).message}`, {
      exit: EXIT.io,
      hint: "--prices names a file of JSON like docs/prices.json.",
      cause,
    });
  }
  const parsed = pricesSchema.safeParse(jsonOf(text, file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(file, `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is not as it should be"}`);
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(file, (cause as Error).message);
  }
}

function invalid(file: string, message: string): Failure {
  return new Failure("invalid_prices", `${file}: ${message}`, {
    exit: EXIT.usage,
    hint: "docs/prices.json shows its form; prices are of a million requests.",
  });
}

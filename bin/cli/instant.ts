import { EXIT, Failure } from "../../src/values/failure.ts";
import { parseTimestamp } from "../../src/values/timestamp.ts";

/** `--at`: epoch ms of an ISO 8601 instant; `undefined` without the flag. Throws `Failure` invalid_instant. */
export function parseInstant(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const instant = parseTimestamp(text);
  if (instant === undefined) {
    throw new Failure("invalid_instant", `--at "${text}" is no instant`, {
      exit: EXIT.usage,
      hint: "Give one in ISO 8601 with its zone, such as 2026-11-20T10:00:00Z.",
    });
  }
  return instant;
}

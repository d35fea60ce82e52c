import { EXIT, Failure } from "../../src/values/failure.ts";
import { type CdnOptions, hostOf } from "./options.ts";

/** For a front that speaks only plain HTTP to its origins. Throws `Failure` https_unsupported. */
export function requireHttp(target: string, { bucket, shim }: Pick<CdnOptions, "bucket" | "shim">): void {
  for (const [option, origin] of Object.entries({ bucket, shim })) {
    if (origin.protocol === "http") continue;
    const message = `${target} speaks plain HTTP to its origins: --${option} https://${hostOf(origin)} is out of its reach`;
    throw new Failure("https_unsupported", message, {
      exit: EXIT.usage,
      hint: "Put a TLS proxy (stunnel, haproxy) beside it and give that one's http address, or take nginx.",
    });
  }
}

import { once } from "node:events";
import type { Server } from "node:http";
import { Failure } from "../../values/failure.ts";
import { systemCode } from "../../values/unknown.ts";

export interface ListenAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** How to set another port, such as "use another port." */
  readonly otherPort?: string | undefined;
  /** True if other processes may listen on the port, too. The kernel divides the connections between them. */
  readonly reusePort?: boolean;
}

/** `::1` and 8787 → `http://[::1]:8787`. */
export function httpUrl(host: string, port: number): string {
  return `http://${hostAndPort(host, port)}`;
}

function hostAndPort(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Resolves once it listens. Throws `Failure`: `address_unusable`. */
export async function listen(
  server: Server,
  { host, port, otherPort = "use another port.", reusePort = false }: ListenAddress,
): Promise<void> {
  server.listen({ port, host, reusePort });
  try {
    await once(server, "listening");
  } catch (cause) {
    const code = systemCode(cause);
    if (code === "EADDRINUSE") {
      const message = `another program listens on ${hostAndPort(host, port)}`;
      throw new Failure("address_unusable", message, { hint: `Stop it, or ${otherPort}`, cause });
    }
    if (code !== undefined && NOT_OF_THIS_HOST.has(code)) {
      throw new Failure("address_unusable", `this machine has no address ${host} (${code})`, { cause });
    }
    const isReserved = code === "EACCES" && port > 0;
    throw new Failure("address_unusable", `cannot listen on ${hostAndPort(host, port)} (${code ?? String(cause)})`, {
      hint:
        (isReserved ? "This user may not use that port. " : "") +
        otherPort.charAt(0).toUpperCase() +
        otherPort.slice(1),
      cause,
    });
  }
}

const NOT_OF_THIS_HOST: ReadonlySet<string> = new Set(["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"]);

import { once } from "node:events";
import type { Server } from "node:http";
import { EXIT, Failure } from "../../values/failure.ts";

export interface ListenAddress {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** How to give another one. */
  readonly hint: string;
}

/** `::1` and 8787 → `http://[::1]:8787`. */
export function httpUrl(host: string, port: number): string {
  return `http://${hostAndPort(host, port)}`;
}

function hostAndPort(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Resolves once it listens. Throws `Failure`: `port_in_use`, `port_unusable`. */
export async function listen(server: Server, { host, port, hint }: ListenAddress): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      const message = `another program listens on ${hostAndPort(host, port)}`;
      throw new Failure("port_in_use", message, { exit: EXIT.failed, hint: `Stop it, or ${hint}`, cause });
    }
    throw new Failure("port_unusable", `cannot listen on ${hostAndPort(host, port)} (${code ?? String(cause)})`, {
      exit: EXIT.failed,
      hint: hint.charAt(0).toUpperCase() + hint.slice(1),
      cause,
    });
  }
}

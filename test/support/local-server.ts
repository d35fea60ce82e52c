import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface LocalServer {
  readonly port: number;
  /** Without a slash at its end. */
  readonly url: string;
  /** Also closes connections that are still open. */
  stop(): Promise<void>;
}

/** A server on this machine alone, at a free port unless one is given. */
export async function localServer(listener: RequestListener, at = 0): Promise<LocalServer> {
  const server = createServer(listener).listen(at, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface LocalServer {
  readonly port: number;
  /** Without a trailing slash. */
  readonly url: string;
  /** Also closes open connections. */
  stop(): Promise<void>;
}

/** Starts an HTTP server on 127.0.0.1, on port `at` or a free one. */
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

/** The files of the reference on loopback, with the headers that their rows say. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buildReference } from "../../../site/reference/build.ts";
import { HTML_HEADERS } from "../../../src/http/route.ts";

export interface ReferenceServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startReference(): Promise<ReferenceServer> {
  const files = await buildReference("0.0.0");
  const server = createServer((request, response) => {
    const path = request.url === "/docs" ? "docs.html" : (request.url ?? "").slice(1);
    const file = files.find((one) => one.path === path);
    if (file === undefined) response.writeHead(404).end();
    else {
      const isPage = file.path.endsWith(".html");
      response.writeHead(200, { "content-type": file.contentType, ...(isPage ? HTML_HEADERS : {}) }).end(file.bytes);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

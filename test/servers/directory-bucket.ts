/** Serves a published directory like a public S3 bucket, with S3's headers. */
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { localServer } from "../support/local-server.ts";
import type { FrontOrigins } from "./front.ts";

export interface DirectoryBucket {
  readonly origin: FrontOrigins["bucket"];
  stop(): void;
}

export async function startDirectoryBucket(store: Pick<ObjectStore, "get">): Promise<DirectoryBucket> {
  const { port, stop } = await localServer((request, response) => {
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    const key = decodeURIComponent(path.replace(/^\/bucket\//, ""));
    store.get(key).then(
      (object) => {
        if (object === undefined) {
          response.writeHead(404, { "content-type": "application/xml" }).end("<Error><Code>NoSuchKey</Code></Error>");
          return;
        }
        const metadata = Object.entries(object.metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]);
        const headers = {
          "content-type": object.contentType,
          "content-length": object.body.length,
          etag: `"${object.tag}"`,
          "last-modified": new Date(0).toUTCString(),
          "x-amz-request-id": "tx1",
          ...Object.fromEntries(metadata),
        };
        response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : object.body);
      },
      () => response.writeHead(503).end(),
    );
  });
  return {
    origin: { host: "127.0.0.1", port, path: "/bucket/" },
    stop,
  };
}

/** Compressed responses through a front: their tags and their HEAD. */
import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REVALIDATE } from "../../../src/http/common-headers.ts";
import { HTML_HEADERS } from "../../../src/http/route.ts";
import { statisticsKey } from "../../../src/resources/statistics/route.ts";
import { TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { until } from "../../support/processes.ts";
import { putResponse } from "../../support/publish-response.ts";
import type { Front, FrontOrigins } from "../front.ts";
import type { S3Server } from "../radosgw.ts";
import { s3Store } from "../stores/s3-store.ts";
import { originsOver, type PublishedWorld } from "./published-world.ts";

const PATH = "/v2/public/stats?range=30d";
const LARGE = JSON.stringify({ text: "0123456789".repeat(13_500) });
const PAGE = `<!doctype html>${"<p>noon</p>".repeat(200)}`;

export interface CompressionOptions {
  readonly server: () => S3Server;
  start(origins: FrontOrigins): Promise<Front>;
  /** The coding that the front prefers. */
  readonly coding?: "br" | "gzip";
}

const DECODE: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { gzip: gunzipSync, br: brotliDecompressSync };

interface Seen {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export function testCompression({ server, start, coding = "gzip" }: CompressionOptions): void {
  let world: PublishedWorld;
  let front: Front;
  beforeAll(async () => {
    const store = s3Store(server());
    const tagged = (tag: string) => ({ etag: tag, "cache-control": REVALIDATE });
    await putResponse(store, statisticsKey("30d"), { status: 200, headers: tagged('"r"'), body: LARGE });
    await putResponse(store, TELEMETRY_KEY, { status: 200, headers: { etag: '"t"' }, body: "{}" });
    const headers = { ...tagged('"p"'), ...HTML_HEADERS };
    await putResponse(store, "site/index.html", {
      status: 200,
      headers,
      contentType: "text/html; charset=utf-8",
      body: PAGE,
    });
    world = await originsOver(server(), store);
    front = await start(world.origins);
    await until("it is published", async () => (await get(front, PATH)).status === 200);
  });
  afterAll(async () => {
    await front?.stop();
    await world?.stop();
  });

  test("large texts are compressed if the client accepts it, with a weak tag, and both tags match", async () => {
    const all = { "accept-encoding": "gzip, deflate, br, zstd" };
    const plain = await get(front, PATH);
    const compressed = await get(front, PATH, all);
    expect([plain.text === LARGE, compressed.text === LARGE]).toEqual([true, true]);
    expect(essence(plain)).toEqual([200, undefined, '"r"', "Accept-Encoding"]);
    expect(essence(compressed)).toEqual([200, coding, 'W/"r"', "Accept-Encoding"]);
    for (const [encoding, tag] of [
      [{}, '"r"'],
      [all, 'W/"r"'],
    ] as const) {
      for (const condition of ['"r"', 'W/"r"', '"x", W/"r"', "*"]) {
        const { status, headers, text } = await get(front, PATH, { ...encoding, "if-none-match": condition });
        expect([condition, status, headers.etag, headers["content-encoding"], text]).toEqual([
          condition,
          304,
          tag,
          undefined,
          "",
        ]);
        expect([condition, headers["cache-control"], headers.vary]).toEqual([condition, REVALIDATE, "Accept-Encoding"]);
      }
      const { status } = await get(front, PATH, { ...encoding, "if-none-match": '"x,"r"' });
      expect(status).toBe(200);
      const [whole, head] = [await get(front, PATH, encoding), await get(front, PATH, encoding, "HEAD")];
      expect([head.status, ownHeaders(head.headers)]).toEqual([200, ownHeaders(whole.headers)]);
    }
  });

  test("Accept-Encoding selects the coding", async () => {
    const codings = {
      "gzip;q=0.5": "gzip",
      "identity;q=0.5, gzip": "gzip",
      "GZIP;Q=1": "gzip",
      "gzip;q=0": undefined,
      "gzip;q=0.0, identity": undefined,
      br: coding === "br" ? "br" : undefined,
      "br;q=0, gzip": "gzip",
      identity: undefined,
      "": undefined,
    };
    const seen: Record<string, string | undefined> = {};
    for (const accepted of Object.keys(codings)) {
      const { headers, text } = await get(front, PATH, { "accept-encoding": accepted });
      expect(text === LARGE, accepted).toBe(true);
      seen[accepted] = headers["content-encoding"];
    }
    expect(seen).toEqual(codings);
  });

  test("a page is compressed with its own headers, and no body below a kilobyte is compressed", async () => {
    const gzip = { "accept-encoding": "gzip" };
    const small = await get(front, "/v1/public/telemetry", gzip);
    expect([small.headers["content-encoding"], small.headers.etag]).toEqual([undefined, '"t"']);
    const page = await get(front, "/", gzip);
    expect([page.text === PAGE, ...essence(page)]).toEqual([true, 200, "gzip", 'W/"p"', "Accept-Encoding"]);
    expect(page.headers).toMatchObject(HTML_HEADERS);
    expect(page.headers["access-control-allow-origin"]).toBeUndefined();
  });
}

function essence({ status, headers }: Seen): unknown[] {
  return [status, headers["content-encoding"], headers.etag, headers.vary];
}

/** A response's own headers; of the transport headers only the length. */
function ownHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const transport = new Set(["date", "connection", "keep-alive", "transfer-encoding"]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !transport.has(name)));
}

async function get(front: Front, path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Seen> {
  const sent = request({ host: front.hostname, port: front.port, path, method, headers }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const decode = bytes.length === 0 ? undefined : DECODE[response.headers["content-encoding"] ?? ""];
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: (decode?.(bytes) ?? bytes).toString(),
  };
}

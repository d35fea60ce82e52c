/** What takes its seconds on the real clock to show, all side by side: most of it is waiting. */
import { afterAll, beforeAll } from "vitest";
import { clocks } from "./clocks.ts";
import { useCredentials } from "./commands.ts";
import { startNginx } from "./nginx.ts";
import { turnsStale } from "./on-time.ts";
import { allowReading } from "./published-world.ts";
import { type S3Server, startRadosgw } from "./radosgw.ts";
import { makeBucket } from "./s3-store.ts";
import { hidesFailure } from "./stale-window.ts";
import { takeovers } from "./takeovers.ts";
import { startVarnish } from "./varnish.ts";

let radosgw: S3Server;
const server = () => radosgw;
beforeAll(async () => {
  radosgw = await startRadosgw();
  await makeBucket(radosgw);
  await allowReading(radosgw);
  useCredentials(radosgw);
});
afterAll(() => radosgw?.stop());

takeovers(server);
clocks(server);
turnsStale(server);
hidesFailure("Varnish", server, startVarnish);
hidesFailure("nginx", server, startNginx);

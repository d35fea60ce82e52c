/** Tests that take seconds on the real clock, all side by side: most of it is waiting. */
import { afterAll, beforeAll } from "vitest";
import { clocks } from "./clocks.ts";
import { useCredentials } from "./commands.ts";
import { startNginx } from "./nginx.ts";
import { type S3Server, startRadosgw } from "./radosgw.ts";
import { turnsStale } from "./scenes/on-time.ts";
import { allowReading } from "./scenes/published-world.ts";
import { hidesFailure } from "./scenes/stale-window.ts";
import { takeovers } from "./scenes/takeovers.ts";
import { makeBucket } from "./stores/s3-store.ts";
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

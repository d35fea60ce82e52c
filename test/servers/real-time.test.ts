/** Tests that take seconds of real time. They run concurrently, because most of that is waiting. */
import { beforeAll } from "vitest";
import { clocks } from "./clocks.ts";
import { useCredentials } from "./commands.ts";
import { startNginx } from "./nginx.ts";
import { testStaleOnTime } from "./scenes/on-time.ts";
import { allowReading } from "./scenes/published-world.ts";
import { testStaleWindow } from "./scenes/stale-window.ts";
import { testTakeovers } from "./scenes/takeovers.ts";
import { useS3Server } from "./use-servers.ts";
import { startVarnish } from "./varnish.ts";

const server = useS3Server();
beforeAll(async () => {
  await allowReading(server());
  useCredentials(server());
});

testTakeovers(server);
clocks(server);
testStaleOnTime(server);
testStaleWindow("Varnish", server, startVarnish);
testStaleWindow("nginx", server, startNginx);

/** Tests that take seconds on the real clock, all side by side: most of it is waiting. */
import { beforeAll } from "vitest";
import { clocks } from "./clocks.ts";
import { useCredentials } from "./commands.ts";
import { startNginx } from "./nginx.ts";
import { turnsStale } from "./scenes/on-time.ts";
import { allowReading } from "./scenes/published-world.ts";
import { hidesFailure } from "./scenes/stale-window.ts";
import { takeovers } from "./scenes/takeovers.ts";
import { useS3Server } from "./use-servers.ts";
import { startVarnish } from "./varnish.ts";

const server = useS3Server();
beforeAll(async () => {
  await allowReading(server());
  useCredentials(server());
});

takeovers(server);
clocks(server);
turnsStale(server);
hidesFailure("Varnish", server, startVarnish);
hidesFailure("nginx", server, startNginx);

import { once } from "node:events";
import { createServer } from "node:net";

/** Each process begins elsewhere, so that two that start servers side by side seldom look at the same port. */
const BLOCK = 100;
let next = 20_000 + (process.pid % 120) * BLOCK;

/** A port of 127.0.0.1 that was free a moment ago: below those that the kernel gives to outgoing connections. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next++;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}

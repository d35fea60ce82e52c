import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Below the ports that the kernel gives to outgoing connections. */
const [FIRST, BLOCKS, BLOCK] = [20_000, 120, 100];
let first: Promise<number> | undefined;
let given = 0;

/**
 * A port of 127.0.0.1 that is free, and that no other process gets from here: each takes its ports from a block of its
 * own, in turn. Some servers listen only a second after they get their port.
 */
export async function freePort(): Promise<number> {
  first ??= claimBlock();
  const block = await first;
  for (;;) {
    const port = block + 1 + (given++ % (BLOCK - 1));
    const server = await listening(port);
    if (server === undefined) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/** A block is this process's for as long as it listens on the block's first port. */
async function claimBlock(): Promise<number> {
  for (let n = 0; n < BLOCKS; n++) {
    const port = FIRST + ((process.pid + n) % BLOCKS) * BLOCK;
    const claim = await listening(port);
    if (claim !== undefined) {
      claim.unref();
      return port;
    }
  }
  throw new Error(`no block of ports is free above ${FIRST}`);
}

async function listening(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, "127.0.0.1");
  return once(server, "listening").then(
    () => server,
    () => undefined,
  );
}

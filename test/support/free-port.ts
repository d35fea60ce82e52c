import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Below the kernel's ephemeral port range. */
const [FIRST_PORT, BLOCKS, BLOCK_SIZE] = [20_000, 120, 100];
let first: Promise<number> | undefined;
let used = 0;

/**
 * Returns a free port of 127.0.0.1. Each process takes ports from its own block, so no other test process gets the same
 * port before a slow server listens on it.
 */
export async function freePort(): Promise<number> {
  first ??= claimBlock();
  const block = await first;
  for (;;) {
    const port = block + 1 + (used++ % (BLOCK_SIZE - 1));
    const server = await listening(port);
    if (server === undefined) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/** Claims a block by listening on its first port for the lifetime of this process. */
async function claimBlock(): Promise<number> {
  for (let n = 0; n < BLOCKS; n++) {
    const port = FIRST_PORT + ((process.pid + n) % BLOCKS) * BLOCK_SIZE;
    const claim = await listening(port);
    if (claim !== undefined) {
      claim.unref();
      return port;
    }
  }
  throw new Error(`no free block of ports above ${FIRST_PORT}`);
}

async function listening(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, "127.0.0.1");
  return once(server, "listening").then(
    () => server,
    () => undefined,
  );
}

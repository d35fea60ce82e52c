/** A Node server over a store, and raw bytes to and from it, as no client library would send them. */
import { connect } from "node:net";
import { onTestFinished } from "vitest";
import { type ShimContext, type StoreReader, shimContext } from "../../../src/shim/context.ts";
import { type ServerOptions, type ShimServer, startServer } from "../../../src/shim/node/node-server.ts";

export function contextOver(store: StoreReader, now = () => 0): ShimContext {
  return shimContext({ store, now, monotonic: () => 0 });
}

/** Stops when the test ends. An internal error fails the test, unless `defect` is given. */
export async function start(context: ShimContext, options: Partial<ServerOptions> = {}): Promise<ShimServer> {
  const defect = (error: unknown) => {
    throw error;
  };
  const server = await startServer(context, { host: "127.0.0.1", port: 0, wallClock: () => 0, defect, ...options });
  onTestFinished(() => server.stop());
  return server;
}

/** Writes bytes, one packet each, and returns everything received until the server closes the connection. */
export async function raw(port: number, ...packets: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay();
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  // A reset is an end too; the bytes before it count.
  const closed = new Promise((resolve) => socket.on("error", resolve).on("close", resolve));
  for (const packet of packets) {
    await new Promise<void>((resolve) => socket.write(packet, "latin1", () => setImmediate(resolve)));
  }
  await closed;
  return Buffer.concat(chunks).toString("latin1");
}

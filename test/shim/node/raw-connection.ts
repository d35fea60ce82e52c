/** Bytes to a server and from it, as no client library would send them. */
import { connect } from "node:net";

/** Writes bytes, a packet each, and returns everything that comes until the server closes the connection. */
export async function raw(port: number, ...packets: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay();
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  // A reset is an end as well: the bytes before it count.
  const closed = new Promise((resolve) => socket.on("error", resolve).on("close", resolve));
  for (const packet of packets) {
    await new Promise<void>((resolve) => socket.write(packet, "latin1", () => setImmediate(resolve)));
  }
  await closed;
  return Buffer.concat(chunks).toString("latin1");
}

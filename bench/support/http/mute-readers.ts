/** A process whose connections all pipeline at once, once its parent says so, and read nothing: `port path connections requests`. */
import { once } from "node:events";
import { connect } from "node:net";

const [port, path, connections, requests] = process.argv.slice(2) as [string, string, string, string];
const bytes = `GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`.repeat(Number(requests));

process.send?.("ready");
await once(process, "message");
// Connections that are not read from keep no process alive.
process.on("disconnect", () => process.exit());
for (let made = 0; made < Number(connections); made++) {
  const socket = connect(Number(port), "127.0.0.1").pause();
  socket.on("error", () => {});
  socket.write(bytes);
}

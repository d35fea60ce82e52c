/**
 * A process whose clients send requests and read nothing, started by a message from its parent. Arguments: port, path,
 * connections, how many of them pipeline, requests per pipelining connection.
 */
import { once } from "node:events";
import { connect } from "node:net";

const [port, path, connections, pipelining, requests] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const request = `GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`;

process.send?.("ready");
await once(process, "message");
// Paused sockets do not keep the process alive, but the IPC channel does; exit when it closes.
process.on("disconnect", () => process.exit());
for (let index = 0; index < Number(connections); index++) {
  const socket = connect(Number(port), "127.0.0.1").pause();
  socket.on("error", () => {});
  socket.write(request.repeat(index < Number(pipelining) ? Number(requests) : 1));
}

/** A proxy for any protocol over TCP, whose network can fail. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface TcpProxy {
  readonly port: number;
  /** Closes every connection, and refuses new ones. */
  refuse(): void;
  /** Drops all bytes of present and new connections without closing them, as a cut cable does. */
  cut(): void;
  /** Passes new connections on again. */
  mend(): void;
  stop(): Promise<void>;
}

/** `rewrite` changes what the target sends (Latin-1). */
export async function startTcpProxy(target: number, rewrite = (text: string) => text): Promise<TcpProxy> {
  let network: "passes" | "refuses" | "is cut" = "passes";
  const sockets = new Set<Socket>();
  const kept = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    kept(client);
    if (network === "refuses") client.resetAndDestroy();
    if (network !== "passes") return;
    const upstream = kept(connect(target, "127.0.0.1"));
    const same = (text: string) => text;
    for (const [from, to, changed] of [
      [client, upstream, same],
      [upstream, client, rewrite],
    ] as const) {
      from.on("data", (bytes: Buffer) => {
        if (network === "passes") to.write(changed(bytes.toString("latin1")), "latin1");
      });
      from.on("close", () => to.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    refuse() {
      network = "refuses";
      dropAll();
    },
    cut() {
      network = "is cut";
    },
    mend() {
      // Bytes are missing on the old connections.
      dropAll();
      network = "passes";
    },
    async stop() {
      dropAll();
      server.close();
      await once(server, "close");
    },
  };
}

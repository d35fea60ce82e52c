/** Real NATS servers with JetStream on loopback, and a client that publishes. */
import type { ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { type ConnectionOptions, connect, type NatsConnection } from "@nats-io/transport-node";
import { freePort } from "../../support/free-port.ts";
import { start, stop, until } from "../../support/processes.ts";

export interface NatsServer {
  readonly host: string;
  readonly port: number;
  process(): ChildProcess;
  /** The server's log. */
  log(): string;
  start(): void;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** `config` is added to the server's file. `folder` keeps the server's data. */
export async function startNats(folder: string, config = ""): Promise<NatsServer> {
  const port = await freePort();
  const server = natsServer(folder, port, config);
  server.start();
  await ready(server);
  return server;
}

export interface NatsCluster {
  readonly servers: readonly NatsServer[];
  stop(): Promise<void>;
}

/** Three servers that replicate their streams. */
export async function startNatsCluster(folder: string): Promise<NatsCluster> {
  const members = await Promise.all(
    [1, 2, 3].map(async (n) => ({ n, port: await freePort(), listens: await freePort() })),
  );
  const servers = members.map(({ n, port, listens }) => {
    const own = join(folder, `server-${n}`);
    mkdirSync(own);
    const routes = members.filter((other) => other.n !== n).map((other) => `nats://127.0.0.1:${other.listens}`);
    const cluster = `cluster { name: test, listen: "127.0.0.1:${listens}", routes: [${routes.join(", ")}] }`;
    return natsServer(own, port, `server_name: server-${n}\n${cluster}`);
  });
  for (const server of servers) server.start();
  await Promise.all(servers.map(ready));
  return {
    servers,
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

function natsServer(folder: string, port: number, config: string): NatsServer {
  const [file, log] = [join(folder, "nats.conf"), join(folder, "nats.log")];
  const jetStream = `jetstream { store_dir: "${folder}/data", max_mem: 64M, max_file: 4G }`;
  writeFileSync(file, `listen: "127.0.0.1:${port}"\n${jetStream}\n${config}\n`);
  let child: ChildProcess;
  return {
    host: "127.0.0.1",
    port,
    process: () => child,
    log: () => readFileSync(log, "utf8"),
    start() {
      child = start("/usr/sbin/nats-server", ["-c", file], log);
    },
    stop: (signal) => stop(child, signal),
  };
}

function ready(server: NatsServer): Promise<void> {
  return until(`a NATS server on port ${server.port}`, () => Promise.resolve(server.log().includes("Server is ready")));
}

export interface Publisher {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly stream: JetStreamClient;
  /** Publishes one message after the other on `facts.wheel-1`. */
  publish(...messages: readonly (string | Uint8Array)[]): Promise<void>;
}

/** Connects and creates the stream FACTS for the subjects `facts.>`, unless there is one. */
export async function publisherOf(
  servers: readonly NatsServer[],
  options: ConnectionOptions & { readonly replicas?: number } = {},
): Promise<Publisher> {
  const { replicas = 1, ...rest } = options;
  const addresses = servers.map(({ host, port }) => `${host}:${port}`);
  const connection = await connect({ servers: addresses, maxReconnectAttempts: -1, reconnectTimeWait: 100, ...rest });
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const stream = jetstream(connection);
  const create = () => manager.streams.add({ name: "FACTS", subjects: ["facts.>"], num_replicas: replicas });
  await until("a stream", () => create().then(() => true));
  return {
    connection,
    manager,
    stream,
    async publish(...messages) {
      for (const message of messages) await stream.publish("facts.wheel-1", message);
    },
  };
}

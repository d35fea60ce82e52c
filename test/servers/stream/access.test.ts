/** Access to a stream: users, and the network (docs/spec/intake.md#stream). */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, credsAuthenticator, nkeyAuthenticator } from "@nats-io/transport-node";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { receipt } from "../../ledger/samples.ts";
import { runProcess } from "../../support/cli.ts";
import { run } from "../../support/processes.ts";
import { runningCli } from "../../support/running-cli.ts";
import { configuredFolder } from "../../support/test-folder.ts";
import { ledgerAt } from "./followed-ledger.ts";
import { type NatsServer, type Publisher, publisherOf, startNats } from "./nats.ts";
import { makeAccounts, makeUserKey } from "./nats-accounts.ts";

const NATS_CONF = join(import.meta.dirname, "../../../packaging/docker/nats.conf");

let folder: string;
beforeEach(() => {
  folder = configuredFolder();
});

async function serverWith(config: string): Promise<NatsServer> {
  const own = join(folder, "nats");
  mkdirSync(own);
  const server = await startNats(own, config);
  onTestFinished(() => server.stop());
  return server;
}

async function publisherAt(...given: Parameters<typeof publisherOf>): Promise<Publisher> {
  const publisher = await publisherOf(...given);
  onTestFinished(() => publisher.connection.close());
  return publisher;
}

/** `changes` of the environment. */
const follow = (address: string, changes: Record<string, string> = {}) =>
  runningCli(["ingest", "--follow", address], folder, changes);
const followToEnd = (address: string, changes: Record<string, string> = {}) =>
  runProcess(["ingest", "--follow", address], folder, "", changes);

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

/** In this time a command is started and has connected. */
const CONNECTED_WITHIN_MS = 15_000;
const text = (n: number) => JSON.stringify(receipt(n));
const ledger = () => ledgerAt(join(folder, ".noonmark/ledger.db"));
const denied = { exitCode: 1, stderr: expect.stringContaining("stream_access_denied") };

test("a user's JWT opens the stream, and another account's or an expired one does not", async () => {
  const accounts = makeAccounts();
  const server = await serverWith(accounts.config);
  const creds = (expiresAt?: Date) => ({ NOONMARK_NATS_CREDS: file("user.creds", accounts.credentials(expiresAt)) });
  const address = `nats://127.0.0.1:${server.port}/FACTS`;
  const authenticator = credsAuthenticator(new TextEncoder().encode(accounts.credentials()));
  const publisher = await publisherAt([server], { authenticator });
  await publisher.publish(text(1));
  const following = follow(address, creds());
  await ledger().reaches(1);
  await following.ended("SIGTERM");
  expect(await followToEnd(address)).toMatchObject(denied);
  expect(await followToEnd(address, creds(new Date(Date.now() - 1000)))).toMatchObject(denied);
  const other = { NOONMARK_NATS_CREDS: file("other.creds", makeAccounts().credentials()) };
  expect(await followToEnd(address, other)).toMatchObject(denied);

  // It expires while the command runs, however long a busy machine takes to start it.
  const expiring = follow(address, creds(new Date(Date.now() + CONNECTED_WITHIN_MS)));
  await publisher.publish(text(2));
  await ledger().reaches(2);
  expect(await expiring.ended()).toMatchObject(denied);
});

test("a key's seed opens the stream; a missing file and a file of something else are named", async () => {
  const key = makeUserKey();
  const server = await serverWith(
    `authorization { users: [{ nkey: ${key.name} }, { user: writer, password: secret }] }`,
  );
  const address = `nats://127.0.0.1:${server.port}/FACTS`;
  const publisher = await publisherAt([server], { user: "writer", pass: "secret" });
  await publisher.publish(text(1));
  const following = follow(address, { NOONMARK_NATS_CREDS: file("user.nk", `${key.seed}\n`) });
  await ledger().reaches(1);
  await following.ended("SIGTERM");
  expect(await followToEnd(address, { NOONMARK_NATS_CREDS: "missing" })).toMatchObject({
    exitCode: 74,
    stderr: expect.stringContaining("file_unreadable"),
  });
  const exposed = file("exposed", key.seed);
  chmodSync(exposed, 0o640);
  expect(await followToEnd(address, { NOONMARK_NATS_CREDS: exposed })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("file_exposed"),
  });
  await run("mkfifo", ["-m", "600", join(folder, "pipe")]);
  expect(await followToEnd(address, { NOONMARK_NATS_CREDS: "pipe" })).toMatchObject({
    exitCode: 74,
    stderr: expect.stringContaining("file_unreadable"),
  });
  const wrong = await followToEnd(address, { NOONMARK_NATS_CREDS: file("wrong", key.name) });
  expect(wrong).toMatchObject({ exitCode: 74, stderr: expect.stringContaining("file_unreadable") });
  // A user who may not use JetStream.
  expect(await followToEnd(address, { NOONMARK_NATS_CREDS: file("other", makeUserKey().seed) })).toMatchObject(denied);
});

test("of the users of packaging/docker/nats.conf, the sender only publishes, the reader only follows, and nobody else connects", async () => {
  const keys = { ADMIN: makeUserKey(), SENDER: makeUserKey(), READER: makeUserKey() };
  const [, users = ""] = readFileSync(NATS_CONF, "utf8").split(/^(?=authorization)/m);
  const server = await serverWith(users.replaceAll(/\$NATS_(\w+)/g, (_, user: keyof typeof keys) => keys[user].name));
  const as = (user: keyof typeof keys) => ({
    authenticator: nkeyAuthenticator(new TextEncoder().encode(keys[user].seed)),
  });
  const admin = await publisherAt([server], as("ADMIN"));
  const sender = await connect({ servers: `127.0.0.1:${server.port}`, ...as("SENDER") });
  onTestFinished(() => sender.close());
  await jetstream(sender).publish("facts.wheel-1", text(1));
  const address = `nats://127.0.0.1:${server.port}/FACTS`;
  const reader = { NOONMARK_NATS_CREDS: file("reader.nk", keys.READER.seed) };
  for (const n of [1, 2]) {
    // The second run compares the message that the first one took.
    if (n === 2) await jetstream(sender).publish("facts.wheel-1", text(2));
    const following = follow(address, reader);
    await ledger().reaches(n);
    await following.ended("SIGTERM");
  }
  expect(await followToEnd(address)).toMatchObject(denied);
  const manager = await jetstreamManager(sender, { checkAPI: false, timeout: 1_000 });
  await expect(manager.streams.delete("FACTS")).rejects.toThrow("Permissions Violation");
  const reading = await connect({ servers: `127.0.0.1:${server.port}`, ...as("READER") });
  onTestFinished(() => reading.close());
  await expect(jetstream(reading).publish("facts.wheel-1", text(3))).rejects.toThrow("Permissions Violation");
  expect((await admin.manager.streams.info("FACTS")).state.messages).toBe(2);
});

test("the server's certificate must be for the host of the address, also for an IP address", async () => {
  const certificates = { "DNS:localhost": [0, 1], "IP:127.0.0.1": [1, 0], "DNS:elsewhere": [1, 1] } as const;
  for (const [name, [byName, byAddress]] of Object.entries(certificates)) {
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    const subject = ["-subj", "/CN=nats", "-addext", `subjectAltName=${name}`];
    await run("openssl", ["req", ...kind, ...subject, "-out", cert, "-keyout", key]);
    const own = join(folder, name);
    mkdirSync(own);
    const server = await startNats(own, `tls { cert_file: "${cert}", key_file: "${key}" }`);
    const trust = { NODE_EXTRA_CA_CERTS: cert };
    const refusal = { exitCode: 1, stderr: expect.stringContaining("stream_untrusted") };
    for (const [host, refused] of [
      ["localhost", byName],
      ["127.0.0.1", byAddress],
    ] as const) {
      const address = `tls://${host}:${server.port}/FACTS`;
      expect(await followToEnd(address)).toMatchObject(refusal);
      if (refused === 1) expect(await followToEnd(address, trust)).toMatchObject(refusal);
      else {
        const accepted = follow(address, trust);
        expect(await accepted.printed("stream_unavailable")).toContain("stream not found");
        await accepted.ended("SIGTERM");
      }
    }
    await server.stop();
  }
});

test("with tls:// nothing is read over a connection in plain text", async () => {
  const server = await serverWith("");
  const following = follow(`tls://127.0.0.1:${server.port}/FACTS`);
  expect(await following.printed("stream_unavailable")).toContain("server does not support 'tls'");
  expect(await following.ended("SIGTERM")).toMatchObject({ exitCode: 0 });
});

/**
 * One connection to a NATS server, and one ordered consumer of a stream. Nothing is repaired: after any trouble the
 * connection ends, and the next one begins with the checks of the stream.
 */
import { createHash } from "node:crypto";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import type { Authenticator, NatsConnection, TlsOptions } from "@nats-io/transport-node";
import type { StreamState, TakenMessage } from "../../../../../src/ledger/intake/stream-position.ts";
import { Failure } from "../../../../../src/values/failure.ts";
import { systemCode } from "../../../../../src/values/unknown.ts";
import type { StreamAddress, StreamServer } from "./stream-address.ts";

type Client = typeof import("./nats-client.ts");

/** Time limit for a connection and for a request (ms). */
const REQUEST_MS = 5_000;
/** A server that does not respond to two pings is given up (ms). */
const PING_MS = 5_000;
/** Messages that the server may send ahead. With the largest default message they take 256 MiB. */
const WINDOW_MESSAGES = 256;
/** An idle server reports that the consumer exists. Two missing reports end the session (ms). */
const HEARTBEAT_MS = 2_000;
const PULL_MS = 30_000;

export interface StreamMessage extends TakenMessage {
  /** 1 for the first message of this consumer, without gaps. */
  readonly delivery: number;
  /** Messages that the consumer still had to deliver when this one was sent. */
  readonly pending: number;
  readonly payload: Uint8Array;
}

export interface OpenStream {
  readonly state: StreamState;
  /** The server's clock (epoch ms) at an instant between the beginning and the end of `open`. */
  readonly serverTime: number;
  /** Ends after `stop`, or if the session is over. Throws `StreamLost` in the second case. */
  messages(): AsyncGenerator<StreamMessage, void, undefined>;
  stop(): void;
  close(): Promise<void>;
}

/** The connection, the consumer or the stream is gone. A later session may succeed. */
export class StreamLost extends Error {}

/** The content of a file: a JWT with its key (`creds`), or only the seed of a key (`nkey`). */
export interface Credentials {
  readonly kind: "creds" | "nkey";
  readonly bytes: Uint8Array;
}

/** The line of a user's seed. */
const SEED = /^SU[A-Z2-7]{56}\r?$/m;

/** Throws `Failure` file_unreadable. */
export function parseCredentials(text: string, path: string): Credentials {
  const encode = (content: string) => new TextEncoder().encode(content);
  if (SEED.test(text)) {
    // The client needs the last line end of a .creds file.
    if (text.includes("BEGIN NATS USER JWT")) return { kind: "creds", bytes: encode(`${text}\n`) };
    if (!text.trim().includes("\n")) return { kind: "nkey", bytes: encode(text.trim()) };
  }
  throw new Failure("file_unreadable", `${path} has neither NATS credentials nor the seed of a user's NKey`);
}

/**
 * Connects, creates a consumer at the message after `after`, and then reads the stream's state and message `taken`. A
 * stream that is replaced later takes the consumer with it. Throws `StreamLost`, and `Failure` stream_access_denied, stream_untrusted,
 * stream_unfit.
 */
export async function openStream(
  { stream, subject, isTls }: StreamAddress,
  server: StreamServer,
  credentials: Credentials | undefined,
  { after, taken }: { readonly after: number; readonly taken: number },
): Promise<OpenStream> {
  const client = await import("./nats-client.ts");
  const { AuthorizationError, PermissionViolationError, UserAuthenticationExpiredError } = client.errors;
  const denials = [AuthorizationError, PermissionViolationError, UserAuthenticationExpiredError];
  const failed = (error: unknown) => failureOf(error, server, denials);
  const connection = await connected(client, server, isTls, credentials).catch((error: unknown) => {
    throw failed(error);
  });
  try {
    const consumer = await client.jetstream(connection, { timeout: REQUEST_MS }).consumers.get(stream, {
      opt_start_seq: after + 1,
      ...(subject === null ? {} : { filter_subjects: subject }),
    });
    const { created } = await consumer.info(true);
    const { streams } = await client.jetstreamManager(connection, { timeout: REQUEST_MS, checkAPI: false });
    const { config, state, created: createdAt } = await streams.info(stream);
    if (subject !== null && !(config.deny_delete && config.deny_purge && config.max_msgs_per_subject <= 0))
      throw unfit(stream);
    const stored = taken === 0 ? null : await streams.getMessage(stream, { seq: taken });
    const message =
      stored === null ? undefined : { sequence: taken, time: stored.time.getTime(), sha256: sha256(stored.data) };
    const first = state.messages === 0 ? state.last_seq + 1 : state.first_seq;
    let consumed: ConsumerMessages | undefined;
    let lost: StreamLost | undefined;
    let isStopped = false;
    return {
      state: { name: stream, createdAt, subject, first, last: state.last_seq, message },
      serverTime: Date.parse(created),
      async *messages() {
        consumed = await consumer.consume({
          max_messages: WINDOW_MESSAGES,
          expires: PULL_MS,
          idle_heartbeat: HEARTBEAT_MS,
        });
        if (isStopped) consumed.stop();
        void endOnTrouble(consumed, (error) => (lost = error));
        for await (const message of consumed) yield messageOf(message);
        if (lost !== undefined) throw lost;
        if (connection.isClosed()) throw failed(await connection.closed());
      },
      stop() {
        isStopped = true;
        consumed?.stop();
      },
      async close() {
        if (!connection.isClosed()) await consumer.delete().catch(() => undefined);
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error instanceof Failure ? error : failed(error);
  }
}

function connected(
  client: Client,
  { host, port }: StreamServer,
  isTls: boolean,
  credentials: Credentials | undefined,
): Promise<NatsConnection> {
  // Node checks the certificate of an unnamed server for "localhost". Here it must be for the host of the address.
  const tls = {
    checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate),
  } as TlsOptions;
  return client.connect({
    servers: host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`,
    name: "noonmark ingest",
    timeout: REQUEST_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    reconnect: false,
    ignoreClusterUpdates: true,
    ...(isTls ? { tls } : {}),
    ...(credentials === undefined ? {} : { authenticator: authenticatorOf(client, credentials) }),
  });
}

function authenticatorOf(client: Client, { kind, bytes }: Credentials): Authenticator {
  return kind === "creds" ? client.credsAuthenticator(bytes) : client.nkeyAuthenticator(bytes);
}

/** The library would repair the consumer. A new session checks the stream first. */
async function endOnTrouble(consumed: ConsumerMessages, lost: (error: StreamLost) => void): Promise<void> {
  for await (const { type } of consumed.status()) {
    if (!TROUBLE.has(type)) continue;
    lost(new StreamLost(`the consumer of the stream is gone (${type})`));
    consumed.stop();
  }
}

const TROUBLE: ReadonlySet<string> = new Set([
  "heartbeats_missed",
  "consumer_not_found",
  "stream_not_found",
  "consumer_deleted",
  "ordered_consumer_recreated",
  "no_responders",
]);

function messageOf(message: JsMsg): StreamMessage {
  const { streamSequence, deliverySequence, pending } = message.info;
  return {
    sequence: streamSequence,
    delivery: deliverySequence,
    pending,
    time: Number(message.timestampNanos / 1_000_000n),
    payload: message.data,
    get sha256() {
      return sha256(message.data);
    },
  };
}

function sha256(payload: Uint8Array): string {
  return createHash("sha256").update(payload).digest("hex");
}

/** `denials` are the client's classes of errors of missing rights. */
function failureOf(
  error: unknown,
  { host, port }: StreamServer,
  denials: readonly (new (message: never, ...rest: never[]) => Error)[],
): Failure | StreamLost {
  const cause = error instanceof Error ? error : new Error("the connection was closed");
  const server = `${host}:${port}`;
  if (denials.some((denial) => cause instanceof denial))
    return new Failure("stream_access_denied", `${server} denies access: ${cause.message}`, { cause });
  if (isCertificateError(cause))
    return new Failure("stream_untrusted", `the certificate of ${server} is not accepted: ${cause.message}`, { cause });
  return new StreamLost(`${server}: ${cause.message}`, { cause });
}

function isCertificateError(error: Error): boolean {
  const code = systemCode(error);
  return typeof code === "string" && /CERT|ISSUER|SELF_SIGNED|ALTNAME|UNABLE_TO_VERIFY/.test(code);
}

function unfit(stream: string): Failure {
  return new Failure("stream_unfit", `with a filter, the stream ${stream} may lose messages without a trace`, {
    hint: `nats stream edit ${stream} --deny-delete --deny-purge --max-msgs-per-subject=-1`,
  });
}

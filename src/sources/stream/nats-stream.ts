/**
 * One connection to a NATS server, and one ordered consumer of a stream. Nothing is repaired: after any trouble the
 * connection ends, and the next one begins with the checks of the stream.
 */
import { createHash } from "node:crypto";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { ConsumerMessages, JsMsg, StreamConfig, StreamInfo } from "@nats-io/jetstream";
import type { Authenticator, NatsConnection, TlsOptions } from "@nats-io/transport-node";
import { optionalPackage } from "../../files/package-file.ts";
import type { StreamState, TakenMessage } from "../../ledger/intake/stream-position.ts";
import { Failure } from "../../values/failure.ts";
import { FUTURE_ALLOWANCE_MS } from "../../values/freshness.ts";
import { printable } from "../../values/printable.ts";
import { systemCode } from "../../values/unknown.ts";
import type { StreamAddress, StreamServer } from "./stream-address.ts";

type Client = typeof import("@nats-io/jetstream") & typeof import("@nats-io/transport-node");

/** Time limit for a connection and for a request (ms). */
const REQUEST_MS = 5_000;
/** A server that does not respond to two pings is given up (ms). */
const PING_MS = 5_000;
/** Messages that the server may send ahead. With the largest default message they take 256 MiB. */
const WINDOW_MESSAGES = 256;
/** An idle server reports that the consumer exists. Two missing reports end the session (ms). */
const HEARTBEAT_MS = 2_000;
const PULL_MS = 30_000;
const BAD_REQUEST = 400;

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
  /** Reads the stream's state again. Throws as `openStream` does. */
  look(): Promise<StreamState>;
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
 * stream that is replaced later takes the consumer with it. Throws `StreamLost`, and `Failure` stream_access_denied,
 * stream_untrusted, stream_unfit.
 */
export async function openStream(
  { stream, subject, isTls }: StreamAddress,
  server: StreamServer,
  credentials: Credentials | undefined,
  { after, taken }: { readonly after: number; readonly taken: number },
): Promise<OpenStream> {
  const client = {
    ...(await optionalPackage("@nats-io/jetstream", () => import("@nats-io/jetstream"))),
    ...(await optionalPackage("@nats-io/transport-node", () => import("@nats-io/transport-node"))),
  };
  const { AuthorizationError, PermissionViolationError, UserAuthenticationExpiredError } = client.errors;
  const denials = [AuthorizationError, PermissionViolationError, UserAuthenticationExpiredError];
  const failed = (error: unknown) => failureOf(error, server, denials, client);
  const connection = await connected(client, server, isTls, credentials).catch((error: unknown) => {
    throw failed(error);
  });
  try {
    const { streams } = await client.jetstreamManager(connection, { timeout: REQUEST_MS, checkAPI: false });
    const look = async (): Promise<StreamState> => {
      const info = await streams.info(stream).catch((error: unknown) => {
        throw failed(error);
      });
      requireFit(info.config, subject);
      return { ...stateOf(info), name: stream, subject, message: undefined };
    };
    // The server would refuse a consumer of some unfit streams without saying why.
    await look();
    const consumer = await client.jetstream(connection, { timeout: REQUEST_MS }).consumers.get(stream, {
      opt_start_seq: after + 1,
      ...(subject === null ? {} : { filter_subjects: subject }),
    });
    const { created } = await consumer.info(true);
    const state = await look();
    const createdAt = instantOf(state.createdAt);
    const stored = taken === 0 ? null : await streams.getMessage(stream, { seq: taken });
    if (stored !== null && stored.seq !== taken) throw new StreamLost(`message ${taken} came as number ${stored.seq}`);
    const message =
      stored === null ? undefined : { sequence: taken, time: instantOf(stored.timestamp), sha256: sha256(stored.data) };
    let consumed: ConsumerMessages | undefined;
    let lost: StreamLost | undefined;
    let isStopped = false;
    return {
      state: { ...state, message },
      serverTime: instantOf(created),
      look,
      async *messages() {
        consumed = await consumer.consume({
          max_messages: WINDOW_MESSAGES,
          expires: PULL_MS,
          idle_heartbeat: HEARTBEAT_MS,
        });
        if (isStopped) consumed.stop();
        void endOnTrouble(consumed, (error) => (lost = error));
        try {
          for await (const message of consumed) yield messageOf(message, stream, createdAt);
        } catch (error) {
          throw error instanceof StreamLost ? error : failed(error);
        }
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
    throw error instanceof Failure || error instanceof StreamLost ? error : failed(error);
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

/** Throws `StreamLost` if the server says what cannot be. */
function messageOf(message: JsMsg, stream: string, createdAt: number): StreamMessage {
  const { stream: of, streamSequence, deliverySequence, pending, timestampNanos } = message.info;
  // A double is exact enough here, and no text of the server makes it throw.
  const time = Math.floor(timestampNanos / 1_000_000);
  if (of !== stream || ![streamSequence, deliverySequence, pending].every(Number.isSafeInteger))
    throw new StreamLost(`the server contradicts itself: a message of the stream ${stream} has no valid number`);
  // The clocks of two servers may differ.
  if (!(time >= createdAt - FUTURE_ALLOWANCE_MS && time <= LAST_INSTANT))
    throw new StreamLost(
      `the server contradicts itself: message ${streamSequence} is older than its stream, or has no valid time`,
    );
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

/** The last instant of a date, epoch ms. */
const LAST_INSTANT = 8.64e15;

/** Throws `StreamLost`. */
function instantOf(text: string): number {
  const instant = Date.parse(text);
  if (Number.isNaN(instant)) throw new StreamLost(`the server contradicts itself: ${printable(text)} is no instant`);
  return instant;
}

/** Throws `StreamLost` if the numbers contradict each other. */
function stateOf({ state, created: createdAt }: StreamInfo): Pick<StreamState, "createdAt" | "first" | "last"> {
  const { messages, first_seq, last_seq: last } = state;
  const first = messages === 0 ? last + 1 : first_seq;
  if (![messages, first, last].every(Number.isSafeInteger) || first < 0 || messages < 0 || messages > last - first + 1)
    throw new StreamLost(
      `the server contradicts itself: ${messages} messages are said to be in ${first_seq} to ${last}`,
    );
  return { createdAt, first, last };
}

/**
 * Throws `Failure` stream_unfit (docs/spec/intake.md#stream). Without a filter each message that vanishes is a jump in
 * the sequence. With one it is not, so nothing may vanish except from the beginning.
 */
function requireFit(config: StreamConfig, subject: string | null): void {
  const always = [
    config.retention !== "limits" && `retention is ${config.retention}`,
    config.mirror !== undefined && "it is a mirror",
    (config.sources ?? []).length > 0 && "it has sources",
  ];
  const filtered = [
    !config.deny_delete && "deny_delete is off",
    !config.deny_purge && "deny_purge is off",
    config.max_msgs_per_subject > 0 && `max_msgs_per_subject is ${config.max_msgs_per_subject}`,
    config.allow_rollup_hdrs && "allow_rollup_hdrs is on",
    config.allow_msg_ttl === true && "allow_msg_ttl is on",
    (config.subject_delete_marker_ttl ?? 0) > 0 && "subject_delete_marker_ttl is set",
    config.allow_msg_schedules === true && "allow_msg_schedules is on",
  ];
  const faults = [...always, ...(subject === null ? [] : filtered)].filter((fault) => typeof fault === "string");
  if (faults.length === 0) return;
  throw new Failure(
    "stream_unfit",
    `the stream ${config.name} may lose messages without a trace: ${faults.join(", ")}`,
  );
}

function sha256(payload: Uint8Array): string {
  return createHash("sha256").update(payload).digest("hex");
}

/** `denials` are the client's classes of errors of missing rights. */
function failureOf(
  error: unknown,
  { host, port }: StreamServer,
  denials: readonly (new (message: never, ...rest: never[]) => Error)[],
  client: Client,
): Failure | StreamLost {
  const cause = error instanceof Error ? error : new Error("the connection was closed");
  const server = `${host}:${port}`;
  if (denials.some((denial) => cause instanceof denial))
    return new Failure("stream_access_denied", `${server} denies access: ${cause.message}`, { cause });
  if (isCertificateError(cause))
    return new Failure("stream_untrusted", `the certificate of ${server} is not accepted: ${cause.message}`, { cause });
  // The server understood the request and refuses it, as it refuses a consumer that the stream's settings do not allow.
  if (cause instanceof client.JetStreamApiError && cause.status === BAD_REQUEST)
    return new Failure("stream_unfit", `${server} refuses to deliver the stream: ${cause.message}`, { cause });
  return new StreamLost(`${server}: ${cause.message}`, { cause });
}

function isCertificateError(error: Error): boolean {
  const code = systemCode(error);
  return typeof code === "string" && /CERT|ISSUER|SELF_SIGNED|ALTNAME|UNABLE_TO_VERIFY/.test(code);
}

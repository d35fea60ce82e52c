/** The address of a stream: `nats://HOST:4222,HOST/STREAM` or `tls://…` (docs/spec/intake.md#stream). */
import { Failure } from "../../values/failure.ts";

export interface StreamServer {
  /** A name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface StreamAddress {
  readonly servers: readonly StreamServer[];
  /** True if the connection must be encrypted, with a certificate for the server's host. */
  readonly isTls: boolean;
  readonly stream: string;
  /** The subject filter; null for all messages. */
  readonly subject: string | null;
}

const ADDRESS = /^(nats|tls):\/\/([^/]*)\/([^/]*)$/;
const SERVER = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/;
/** NATS' own rule for names of streams. */
const STREAM = /^[^\s.*>/\\]{1,255}$/;
const TOKENS = /^[^\s.*>]+$/;
const DEFAULT_PORT = 4222;

export function isStreamAddress(text: string): boolean {
  return /^(?:nats|tls):\/\//.test(text);
}

/** Throws `Failure` invalid_setting. */
export function parseStreamAddress(text: string, subject: string | undefined): StreamAddress {
  const [, scheme, hosts = "", stream = ""] = ADDRESS.exec(text) ?? [];
  // The address is shown in lists of processes and in logs, so it must contain no password.
  if (hosts.includes("@"))
    throw invalid("the stream's address contains credentials", "Give the file of the credentials instead.");
  const servers = hosts.split(",").map(parseServer);
  const valid = servers.filter((server) => server !== undefined);
  if (scheme === undefined || !STREAM.test(stream) || valid.length < servers.length)
    throw invalid(
      `${text} is not the address of a stream`,
      "Its form is nats://HOST:4222/STREAM; separate several hosts by commas.",
    );
  if (subject !== undefined && !isSubjectFilter(subject))
    throw invalid(`${subject} is not a subject filter`, "Its form is facts.wheel-1, facts.* or facts.>");
  return { servers: valid, isTls: scheme === "tls", stream, subject: subject ?? null };
}

function parseServer(text: string): StreamServer | undefined {
  const [, address, name, port] = SERVER.exec(text) ?? [];
  const host = address ?? name;
  const number = port === undefined ? DEFAULT_PORT : Number(port);
  return host === undefined || number < 1 || number > 65_535 ? undefined : { host, port: number };
}

function isSubjectFilter(subject: string): boolean {
  const tokens = subject.split(".");
  return tokens.every(
    (token, at) => TOKENS.test(token) || token === "*" || (token === ">" && at === tokens.length - 1),
  );
}

function invalid(message: string, hint: string): Failure {
  return new Failure("invalid_setting", message, { hint });
}

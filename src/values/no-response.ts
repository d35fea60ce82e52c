/**
 * Explains in plain words why an address gave no response. Recognises causes by codes of Node, OpenSSL or the resolver,
 * never by a library's message.
 */

import type { NoResponseFacts } from "./failure.ts";
import { fieldsOf } from "./unknown.ts";

/** A problem, and what the operator's next step depends on. */
export interface NoResponse {
  readonly says: string;
  readonly facts: NoResponseFacts;
}

const CERTIFICATE = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY)_|ERR_TLS_CERT_)/;

/**
 * Uses the innermost error's code, because clients wrap the socket's error. Undefined for an unknown code. `address`:
 * scheme, host and port, without secrets.
 */
export function noResponse(error: unknown, address: string): NoResponse | undefined {
  const code = deepestCode(error);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const host = url?.hostname ?? address;
  switch (code) {
    case "ENOTFOUND":
      return {
        says: `the host name ${host} is unknown (${code})`,
        facts: { is: "host_unknown", host },
      };
    case "EAI_AGAIN":
      return {
        says: `the host name ${host} cannot be looked up: no name server responds (${code})`,
        facts: { is: "no_name_server", host },
      };
    case "ECONNREFUSED":
      return {
        says: `no server listens at ${address} (${code})`,
        facts: { is: "not_listening" },
      };
    case "ECONNRESET":
    case "EPIPE":
    case "UND_ERR_SOCKET":
      return {
        says: `${address} closed the connection before its response was complete (${code})`,
        facts: { is: "connection_closed" },
      };
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
      return {
        says: `${address} cannot be reached (${code})`,
        facts: { is: "not_reachable", address },
      };
    case "EPROTO":
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return {
        says: `${address} does not use https on that port`,
        facts: { is: "no_https" },
      };
    default:
      if (code === undefined || !CERTIFICATE.test(code)) return undefined;
      return {
        says: `the certificate of ${address} is not trusted (${code})`,
        facts: { is: "certificate", host, port: url?.port || "443" },
      };
  }
}

function deepestCode(error: unknown): string | undefined {
  const { cause, code } = fieldsOf(error);
  const deeper = cause === undefined ? undefined : deepestCode(cause);
  return deeper ?? (typeof code === "string" ? code : undefined);
}

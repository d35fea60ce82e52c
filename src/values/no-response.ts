/**
 * Explains in plain words why an address gave no response. Recognises causes by codes of Node, OpenSSL or the resolver,
 * never by a library's message.
 */

import { fieldsOf } from "./unknown.ts";

/** A problem, and the operator's next step. */
export interface NoResponse {
  readonly says: string;
  readonly todo: string;
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
        todo: `Correct the name in the address. Test the name service: getent hosts ${host}`,
      };
    case "EAI_AGAIN":
      return {
        says: `the host name ${host} cannot be looked up: no name server responds (${code})`,
        todo: `Check this machine's network and DNS: getent hosts ${host}`,
      };
    case "ECONNREFUSED":
      return {
        says: `no server listens at ${address} (${code})`,
        todo: "Start the server, or correct the host and port of the address.",
      };
    case "ECONNRESET":
    case "EPIPE":
    case "UND_ERR_SOCKET":
      return {
        says: `${address} closed the connection before its response was complete (${code})`,
        todo: "Check the server's log, and the port and scheme of the address.",
      };
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
      return {
        says: `${address} cannot be reached (${code})`,
        todo: `Check the network and the firewall: curl -v ${address}`,
      };
    case "EPROTO":
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return {
        says: `${address} does not use https on that port`,
        todo: "Write http:// in the address, or use the port of https.",
      };
    default:
      if (code === undefined || !CERTIFICATE.test(code)) return undefined;
      return {
        says: `the certificate of ${address} is not trusted (${code})`,
        todo: `Set NODE_EXTRA_CA_CERTS to the file of its authority. See it with: openssl s_client -connect ${host}:${url?.port || "443"}`,
      };
  }
}

function deepestCode(error: unknown): string | undefined {
  const { cause, code } = fieldsOf(error);
  const deeper = cause === undefined ? undefined : deepestCode(cause);
  return deeper ?? (typeof code === "string" ? code : undefined);
}

/** What `nats-stream.ts` uses of NATS' client. The build makes this module a file of its own. */
export { JetStreamApiError, jetstream, jetstreamManager } from "@nats-io/jetstream";
export { connect, credsAuthenticator, errors, nkeyAuthenticator } from "@nats-io/transport-node";

/** Keys and JSON web tokens of NATS, as its command `nsc` makes them. */
import { nkeys } from "@nats-io/transport-node";

const encoder = new TextEncoder();

type Key = ReturnType<typeof nkeys.createUser>;

/** A server's configuration that knows one account by its JWT, and the users' credentials. */
export interface Accounts {
  readonly config: string;
  /** The content of a .creds file. */
  credentials(expiresAt?: Date): string;
}

export function makeAccounts(): Accounts {
  const [operator, system, account] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount()];
  const unlimited = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  const operatorToken = token({ issuer: operator, subject: operator }, "operator", {});
  const accountToken = (key: Key, limits: object) => {
    const jwt = token({ issuer: operator, subject: key }, "account", { limits: { ...unlimited, ...limits } });
    return `${key.getPublicKey()}: ${jwt}`;
  };
  const preload = `{ ${accountToken(system, {})}, ${accountToken(account, storage)} }`;
  return {
    config: `operator: ${operatorToken}\nsystem_account: ${system.getPublicKey()}\nresolver: MEMORY\nresolver_preload: ${preload}`,
    credentials(expiresAt) {
      const user = nkeys.createUser();
      const expires = expiresAt === undefined ? {} : { exp: Math.floor(expiresAt.getTime() / 1000) };
      const jwt = token({ issuer: account, subject: user }, "user", { subs: -1, data: -1, payload: -1 }, expires);
      return `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seedOf(user)}\n------END USER NKEY SEED------\n`;
    },
  };
}

/** A new user's key: its seed, and its name in a server's configuration. */
export function makeUserKey(): { readonly seed: string; readonly name: string } {
  const user = nkeys.createUser();
  return { seed: seedOf(user), name: user.getPublicKey() };
}

function seedOf(key: Key): string {
  return new TextDecoder().decode(key.getSeed());
}

/** Returns a JWT that the issuer has signed. */
function token(
  { issuer, subject }: { readonly issuer: Key; readonly subject: Key },
  type: string,
  content: object,
  claims: object = {},
): string {
  const [iss, sub] = [issuer.getPublicKey(), subject.getPublicKey()];
  const now = Math.floor(Date.now() / 1000);
  const payload = { jti: sub, iat: now, iss, name: type, sub, ...claims, nats: { ...content, type, version: 2 } };
  const signed = `${base64url({ typ: "JWT", alg: "ed25519-nkey" })}.${base64url(payload)}`;
  return `${signed}.${Buffer.from(issuer.sign(encoder.encode(signed))).toString("base64url")}`;
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

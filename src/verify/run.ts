/** One run of verify: what it asks, what it keeps of the responses, and its report. */
import { createHash } from "node:crypto";
import { plainQueries } from "../resources/contracts.ts";
import type { NamedRoute, RouteName } from "../resources/table.ts";
import { type Asked, judgeGood } from "./body.ts";
import {
  CutOff,
  header,
  NoResponse,
  type Place,
  type Reply,
  requestText,
  type Sent,
  strongTag,
  type Transport,
  textOf,
} from "./exchange.ts";
import { type Check, Report } from "./report.ts";
import { judgeHeaders } from "./response.ts";

export interface Environment {
  readonly send: Transport;
  /** This machine's clock (epoch ms). */
  now(): number;
  pause(milliseconds: number): Promise<void>;
  /** Returns letters and digits that no earlier request contained. */
  unique(): string;
}

export interface RunOptions {
  /** The routes to verify. */
  readonly routes: readonly NamedRoute[];
  /** The installation whose observations and telemetry are read; the configured one if absent. */
  readonly installationId: string | undefined;
  /** Seconds to watch; 0 to skip. */
  readonly watch: number;
  /** Called before each part of the run: how many are done, of how many. */
  onPart?(name: string, done: number, of: number): void;
}

/** A URL that should get a 200. */
export interface Subject extends Asked {
  /** The text after the `?`; may be empty. */
  readonly query: string;
}

/** A request and its row. GET by default. */
export interface Request extends Place {
  readonly target: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Limit of the characters that a run keeps of all responses, so that no server can exhaust the memory. */
const MAX_KEPT = 64 << 20;

export class Run extends Report {
  readonly options: RunOptions;
  readonly environment: Environment;
  /** The configured installation, once telemetry has been read. */
  configuredId: string | undefined;
  /** Hashes of bodies without generatedAt, by the hash of target and tag. */
  readonly #bodiesByTag = new Map<string, string>();
  #kept = 0;

  constructor(options: RunOptions, environment: Environment) {
    super();
    this.options = options;
    this.environment = environment;
  }

  /** Counts a text that the run keeps until its end. Throws `CutOff` above the limit. */
  keep(text: string): string {
    this.#kept += text.length;
    if (this.#kept > MAX_KEPT) throw new CutOff(`the responses have more than ${MAX_KEPT >> 20} MiB of ids and tags`);
    return text;
  }

  /** Returns the installation whose history is read. */
  get installationId(): string {
    return this.options.installationId ?? this.configuredId ?? "unknown";
  }

  route(name: RouteName): NamedRoute | undefined {
    return this.options.routes.find((route) => route.name === name);
  }

  /** Returns the URL of a route; for a route by id, that of the installation whose history is read. */
  subject(route: NamedRoute, query = ""): Subject {
    const path = route.path.replace("{installationId}", encodeURIComponent(this.installationId));
    return { route, query, target: query === "" ? path : `${path}?${query}`, configuredId: this.configuredId };
  }

  /** Sends a request and judges the response by itself. */
  async ask({ route, file, target, method = "GET", headers = {} }: Request): Promise<Reply> {
    // Without this header a cache may respond with an encoded body.
    const sent = { method, target, headers: { "accept-encoding": "identity", ...headers } };
    const reply = await this.environment.send(sent);
    const check = this.on(requestText(sent));
    judgeHeaders({ check, sent, reply, route, file });
    if (route !== undefined && method === "GET" && reply.status === 200) this.#judgeRevision(check, sent, reply);
    return reply;
  }

  /** Asks for a good response and judges it. Returns undefined if its fields cannot be read. */
  async good(subject: Subject): Promise<Reply | undefined> {
    const reply = await this.ask(subject);
    const isGood = reply.status === 200 && judgeGood(this.on(`GET ${subject.target}`), subject, reply);
    return isGood ? reply : undefined;
  }

  /** Runs a group of checks. A request without a response ends the group and becomes a finding. */
  async guarded(request: string, checks: () => Promise<unknown>): Promise<void> {
    const check = this.on(request);
    try {
      await checks();
    } catch (error) {
      if (error instanceof CutOff) throw error;
      // A deployment may also send what no rule expects. Earlier findings are kept.
      const seen = error instanceof NoResponse ? error.message : `what no rule can read: ${String(error)}`;
      check("exchange/complete", false, "a response", seen);
    }
  }

  /** Runs the checks of every accepted query of every route; for paged routes, of the first page. */
  async eachSubject(checks: (subject: Subject) => Promise<unknown>): Promise<void> {
    const subjects = this.options.routes.flatMap((route) =>
      plainQueries(route).map((query) => this.subject(route, query)),
    );
    await Promise.all(subjects.map((subject) => this.guarded(`GET ${subject.target}`, () => checks(subject))));
  }

  async eachRoute(checks: (route: NamedRoute) => Promise<unknown>): Promise<void> {
    const { routes } = this.options;
    await Promise.all(routes.map((route) => this.guarded(`GET ${route.path}`, () => checks(route))));
  }

  #judgeRevision(check: Check, { target }: Sent, reply: Reply): void {
    const tag = header(reply, "etag");
    const text = textOf(reply);
    if (tag === undefined || text === undefined) return;
    const key = hashOf(`${target} ${strongTag(tag)}`);
    const body = hashOf(comparableText(text));
    const known = this.#bodiesByTag.get(key);
    if (known === undefined) this.#bodiesByTag.set(this.keep(key), this.keep(body));
    else check("revision/bytes", known === body, `the earlier body of ETag ${tag}`, comparableText(text));
  }
}

const GENERATED_AT = '"generatedAt":"';
/** Telemetry's tag identifies the receipt: it stays when `online` turns `stale` (docs/spec/api.md#telemetry rule 4). */
const AGEING_STATUS = /"status":"(?:online|stale)"/;

/** Returns a body without the parts that may differ under the same tag. */
export function comparableText(text: string): string {
  const start = text.indexOf(GENERATED_AT);
  const end = start === -1 ? -1 : text.indexOf('"', start + GENERATED_AT.length);
  const undated = end === -1 ? text : text.slice(0, start + GENERATED_AT.length) + text.slice(end);
  return undated.replace(AGEING_STATUS, "");
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

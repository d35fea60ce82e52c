/** One run of verify: its report, options and environment, and what it keeps of the responses. */
import type { RouteContract } from "../judge/contract.ts";
import { CutOff, type Transport } from "../judge/exchange.ts";
import { Report } from "../judge/report.ts";

export interface Environment {
  readonly send: Transport;
  /** This machine's clock (epoch ms). */
  now(): number;
  pause(milliseconds: number): Promise<void>;
  /** Returns letters and digits that no earlier request contained. */
  unique(): string;
}

export interface RunOptions {
  /** The routes to verify; all by default. */
  readonly routes: readonly RouteContract[];
  /** The installation whose observations and telemetry are read; the configured one if absent. */
  readonly installationId: string | undefined;
  /** The maximum number of pages of a walk. */
  readonly pages: number;
  /** Seconds to watch; 0 to skip. */
  readonly watch: number;
}

/** Limit of the characters that a run keeps of all responses, so that no server can exhaust the memory. */
const MAX_KEPT = 64 << 20;

export class Run extends Report {
  readonly options: RunOptions;
  readonly environment: Environment;
  /** The configured installation, once telemetry has been read. */
  configuredId: string | undefined;
  /** Hashes of bodies without generatedAt, by the hash of subject and tag. */
  readonly bodiesByTag = new Map<string, string>();
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

  get routes(): readonly RouteContract[] {
    return this.options.routes;
  }

  /** Returns the installation whose history is read. */
  get installationId(): string {
    return this.options.installationId ?? this.configuredId ?? "unknown";
  }

  route(name: RouteContract["name"]): RouteContract | undefined {
    return this.routes.find((route) => route.name === name);
  }
}

/** One run of verify: its report, options and environment, and the bodies seen so far. */
import type { RouteContract } from "../judge/contract.ts";
import type { Transport } from "../judge/exchange.ts";
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

export class Run extends Report {
  readonly options: RunOptions;
  readonly environment: Environment;
  /** The configured installation, once telemetry has been read. */
  configuredId: string | undefined;
  /** Bodies without generatedAt, by subject and tag. */
  readonly bodiesByTag = new Map<string, string>();

  constructor(options: RunOptions, environment: Environment) {
    super();
    this.options = options;
    this.environment = environment;
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

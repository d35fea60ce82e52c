/** One run of verify: what is asked of whom, and what was seen so far. */
import type { RouteContract } from "../judge/contract.ts";
import type { Transport } from "../judge/exchange.ts";
import { Report, type Rule, type Subject, type Verdict } from "../judge/report.ts";

export interface Environment {
  readonly send: Transport;
  /** Own clock, epoch ms. */
  now(): number;
  pause(milliseconds: number): Promise<void>;
  /** Letters and digits that nobody has asked for before. */
  unique(): string;
}

export interface RunOptions {
  /** Those asked for; all by default. */
  readonly routes: readonly RouteContract[];
  /** Whose observations and telemetry are read; the configured one's if absent. */
  readonly installationId: string | undefined;
  /** Pages of a walk at most. */
  readonly pages: number;
  /** Seconds of watching; 0 for none. */
  readonly watch: number;
}

export class Run {
  readonly report = new Report();
  readonly options: RunOptions;
  readonly environment: Environment;
  /** The configured installation, once telemetry has named it. */
  configuredId: string | undefined;
  /** By subject and tag: what the body was, generatedAt aside. */
  readonly bodiesByTag = new Map<string, string>();

  constructor(options: RunOptions, environment: Environment) {
    this.options = options;
    this.environment = environment;
  }

  get routes(): readonly RouteContract[] {
    return this.options.routes;
  }

  /** Whose history is read. */
  get installationId(): string {
    return this.options.installationId ?? this.configuredId ?? "unknown";
  }

  check(rule: Rule, subject: Subject, holds: boolean, verdict: () => Verdict): boolean {
    return this.report.check(rule, subject, holds, verdict);
  }

  skip(rule: Rule, why: string): void {
    this.report.skip(rule.name, why);
  }

  route(name: RouteContract["name"]): RouteContract | undefined {
    return this.routes.find((route) => route.name === name);
  }
}

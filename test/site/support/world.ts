/**
 * The page's data in a test: every response of the API at one instant, validated by the API's schema, so that no test
 * shows impossible data. Counts the requests.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATIONS } from "../../../src/resources/contracts.ts";
import type { ApiResponse } from "./site-server.ts";

/** The instant of the recording. */
export const RECORDED_AT = Date.parse("2026-11-22T03:11:54.000Z");

export class World {
  /** Epoch ms, as in the server's Date. */
  now = RECORDED_AT;
  /** Targets in request order. */
  readonly asked: string[] = [];
  /** The number of 304 responses. */
  notModified = 0;
  /** If true, connections are cut. */
  offline = false;
  readonly #responses = new Map<string, { status: number; headers: Record<string, string>; body: string }>();

  /** `target` is path and query. Throws if the API could not send this response. */
  say(target: string, body: unknown, headers: Record<string, string> = {}): void {
    const path = target.replace(/\?.*/, "");
    OPERATIONS.find(({ row }) => row.path === path)?.contract.body?.schema.parse(body);
    this.#responses.set(target, { status: 200, headers, body: JSON.stringify(body) });
  }

  /** An error with its code. */
  refuse(target: string, status: number, error: string): void {
    const headers: Record<string, string> = status === 503 ? { "retry-after": "2" } : {};
    this.#responses.set(target, { status, headers, body: JSON.stringify({ error }) });
  }

  targets(): readonly string[] {
    return [...this.#responses.keys()];
  }

  /** A copy of a response body, to be changed and served again. */
  said<Body>(target: string): Body {
    return JSON.parse(this.#responses.get(target)?.body ?? "null") as Body;
  }

  response(target: string, ifNoneMatch: string | undefined): ApiResponse | undefined {
    this.asked.push(target);
    if (this.offline) return undefined;
    const { status, headers, body } = this.#responses.get(target) ?? {
      status: 404,
      headers: {},
      body: '{"error":"not_found"}',
    };
    const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
    const all = {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "public, max-age=0, must-revalidate",
      date: new Date(this.now).toUTCString(),
      etag,
      ...headers,
    };
    if (status !== 200 || ifNoneMatch !== etag) return { status, headers: all, body };
    this.notModified += 1;
    return { status: 304, headers: all, body: "" };
  }
}

export function recorded<Body>(name: string): Body {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../recorded", `${name}.json`), "utf8")) as Body;
}

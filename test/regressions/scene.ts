/**
 * A scene is the built program in a temporary folder, with the objects of its store and the store's responses at an
 * instant. The store is a directory or, if a server is given, its bucket.
 */
import { copyFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { FilesystemStore } from "../../src/object-store/filesystem/filesystem-store.ts";
import { fileOfKey } from "../../src/object-store/filesystem/format.ts";
import type { ObjectStore, StoredObject } from "../../src/object-store/object-store.ts";
import { shimContext } from "../../src/shim/context.ts";
import { respond } from "../../src/shim/respond.ts";
import { instant, type Json } from "../ledger/samples.ts";
import type { S3Server } from "../servers/radosgw.ts";
import { clientSettings, damageObject, s3Store } from "../servers/stores/s3-store.ts";
import { type Finished, runCli, startCli } from "../support/cli.ts";

const START = Date.parse(instant(0));

/** A reader's response with its parsed `body`. */
export interface Read {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a scene names the fields that it looks at.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export class Scene implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "noonmark-scene-"));
  /** Settings as in noonmark.json. */
  settings: Record<string, unknown>;
  readonly store: ObjectStore;
  readonly #server: S3Server | undefined;
  readonly #environment: Readonly<Record<string, string>>;

  constructor(settings: Readonly<Record<string, unknown>> = {}, server?: S3Server) {
    this.#server = server;
    const common = {
      installationId: "wheel-1",
      ledger: "ledger.db",
      state: "state",
      site: false,
      // 2026-11-20T10:00:00Z, the first instant of the samples.
      genesisTimestamp: START / 1000,
    };
    if (server === undefined) {
      const directory = this.file("public");
      this.store = new FilesystemStore(directory, { write: true });
      this.settings = { ...common, store: directory, ...settings };
      this.#environment = {};
    } else {
      const store = s3Store(server);
      this.store = store;
      const s3 = { s3Provider: "ceph", s3Endpoint: server.endpoint };
      this.settings = { ...common, store: store.place, ...s3, ...settings };
      const { accessKeyId, secretAccessKey } = clientSettings(server).credentials;
      this.#environment = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    }
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  run(...args: string[]): Promise<Finished> {
    this.#writeSettings();
    return runCli(args, this.folder, "", this.#environment);
  }

  start(...args: string[]) {
    this.#writeSettings();
    return startCli(args, this.folder, this.#environment);
  }

  #writeSettings(): void {
    writeFileSync(this.file("noonmark.json"), JSON.stringify(this.settings));
  }

  /** Ingests records into the settings' ledger, or into another one by name. */
  async ingest(records: readonly Json[], ledger = String(this.settings.ledger)): Promise<void> {
    const file = this.file("facts.ndjson");
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    const ended = await this.run("ingest", "--yes", "--ledger", ledger, file);
    expect(ended.exitCode, ended.stderr).toBe(0);
  }

  copyLedger(from: string, to: string): void {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(this.file(`${to}${suffix}`), { force: true });
    copyFileSync(this.file(from), this.file(to));
  }

  /** One cycle at the given number of seconds after the samples' first instant. */
  publish(seconds: number, ...more: string[]): Promise<Finished> {
    return this.run("publish", "--once", "--at", instant(seconds), ...more);
  }

  /** The same, but fails unless the cycle succeeds. Used to set up a scene. */
  async published(seconds: number, ...more: string[]): Promise<void> {
    const ended = await this.publish(seconds, ...more);
    expect(ended.exitCode, ended.stderr).toBe(0);
  }

  loseState(): void {
    rmSync(this.file("state"), { recursive: true, force: true });
  }

  /** The response of a newly started shim at that instant. */
  async read(url: string, seconds: number): Promise<Read> {
    const context = shimContext({ store: this.store, now: () => START + seconds * 1000, monotonic: () => 0 });
    const { status, body } = await respond({ method: "GET", url }, context);
    return { status, body: JSON.parse(new TextDecoder().decode(body)) };
  }

  async object(key: string): Promise<StoredObject> {
    const found = await this.store.get(key, { fresh: true });
    if (found === undefined) throw new Error(`${key} is not stored`);
    return found;
  }

  /** Truncates an object, like another tool or a broken disk. */
  async damage(key: string): Promise<void> {
    if (this.#server === undefined) truncateSync(join(this.file("public"), fileOfKey(key)), 40);
    else await damageObject(clientSettings(this.#server), this.store, key, Buffer.from("cut"));
  }

  /** Restores an earlier object, as bucket versioning or a copy would. */
  async putBack(key: string, { body, contentType, metadata }: StoredObject): Promise<void> {
    await this.store.put(key, { body, contentType, metadata });
  }

  async keys(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const key of this.store.list(prefix)) keys.push(key);
    return keys;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.folder, { recursive: true });
  }
}

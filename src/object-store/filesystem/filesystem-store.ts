/**
 * A directory as a store: one file per object, with metadata and body (`format.ts`), written by rename.
 *
 * - Atomicity: a file is written and synced under `.tmp`, then renamed. A named file is never written, so every reader
 *   reads one put. A crash leaves a file under `.tmp`, which no reader opens and the next writer removes.
 * - Durability: the bytes are synced before the rename; afterwards the directory and the parent of each new directory
 *   are synced. Only then does `put` return.
 * - Conditions: the tag is checked and the file renamed under a lock of the machine (`lock.ts`), which a stopped
 *   process does not keep. Plain puts and deletes take the lock too: otherwise one of them could be overwritten between
 *   check and rename.
 * - Reads take no lock. Reading a cached file costs one `stat`.
 *
 * The lock file also marks the directory as a store. If it is missing (such as on an unmounted disk), reads fail
 * instead of reporting "absent".
 */
import { randomBytes } from "node:crypto";
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { isDiskFull } from "../../files/disk-full.ts";
import { makeOneDirectory } from "../../files/make-directory.ts";
import { PRIVATE_MODE } from "../../files/private-file.ts";
import { writeNewFile } from "../../files/write-all.ts";
import { HEAD_KEY, PRIVATE_PREFIX } from "../../http/keys.ts";
import { Failure } from "../../values/failure.ts";
import { errorMessage, systemCode } from "../../values/unknown.ts";
import { checkKey, checkObject, MAX_BODY_BYTES } from "../check-object.ts";
import {
  type GetOptions,
  type ObjectStore,
  type PutCondition,
  STORE_LIMIT_MS,
  StoreConflict,
  StoreDamaged,
  type StoredObject,
  StoreFull,
  type StoreObject,
  type StoreTag,
  StoreUnavailable,
} from "../object-store.ts";
import { seal, unseal } from "../seal-node.ts";
import { FilesystemCache } from "./cache.ts";
import { fileOfKey, formatHead, keyOfFile, parseMessage } from "./format.ts";
import { FilesystemLock } from "./lock.ts";
import {
  checkReadable,
  isForbidden,
  noStore,
  prepareDirectory,
  STORE_MARK,
  storeForbidden,
  TEMPORARY,
} from "./prepare.ts";

const MAX_PATHS = 1024;
const MAX_HEAD_BYTES = 64 * 1024;
const MAX_FILE_BYTES = MAX_BODY_BYTES + MAX_HEAD_BYTES;

export class FilesystemStore implements ObjectStore {
  readonly name: string;
  private readonly cache = new FilesystemCache();
  private readonly lock: FilesystemLock | undefined;
  private readonly paths = new Map<string, string>();
  /** Syncs under way for new directories, whose names a power failure could still lose. */
  private readonly unsynced = new Map<string, Promise<unknown>>();

  /**
   * For a writer, creates and tests the directory; throws `Failure` (`store_forbidden`, `disk_full`). For a reader,
   * the directory may be created later, but another kind of file is an error (`store_forbidden`).
   */
  constructor(directory: string, options: { write: boolean }) {
    this.name = resolve(directory);
    if (options.write) {
      prepareDirectory(this.name);
      this.lock = new FilesystemLock(this.name);
    } else checkReadable(this.name);
  }

  async get(key: string, options?: GetOptions): Promise<StoredObject | undefined> {
    return this.getNow(key, options);
  }

  getNow(key: string, options?: GetOptions): StoredObject | undefined {
    return this.read(key, this.pathOf(key), options?.fresh === true);
  }

  async put(key: string, object: StoreObject, condition?: PutCondition): Promise<StoreTag> {
    const path = this.pathOf(key);
    checkObject(object);
    const lock = this.writable();
    const end = performance.now() + STORE_LIMIT_MS;
    const tag = randomBytes(12).toString("base64url");
    const temporary = join(this.name, TEMPORARY, tag);
    try {
      const mode = key.startsWith(PRIVATE_PREFIX) && key !== HEAD_KEY ? PRIVATE_MODE : undefined;
      await writeNewFile(temporary, [Buffer.from(formatHead(seal(object), tag)), object.body], mode);
      await this.makeDirectories(dirname(path));
      await lock.rename(temporary, path, end, () => {
        if (condition !== undefined) this.check(path, key, condition);
      });
      await syncDirectory(dirname(path));
      return tag;
    } catch (error) {
      rmSync(temporary, { force: true });
      if (systemCode(error) === "ENOENT") this.absent();
      throw error instanceof StoreConflict ? error : this.#failure("put", path, error);
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.pathOf(key);
    try {
      await this.writable().remove(path, performance.now() + STORE_LIMIT_MS);
      await syncDirectory(dirname(path));
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw this.#failure("delete", path, error);
    }
    this.cache.drop(path);
  }

  async *list(prefix: string): AsyncIterable<string> {
    const keys: string[] = [];
    // Read only below the prefix's last directory: listing each history from the root would take quadratic time.
    const directory = dirname(this.pathOf(`${prefix.slice(0, prefix.lastIndexOf("/") + 1)}-`));
    try {
      for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const file = relative(this.name, join(entry.parentPath, entry.name)).split(sep).join("/");
        const key = keyOfFile(file);
        if (key?.startsWith(prefix)) keys.push(key);
      }
    } catch (error) {
      // A directory below it, which was removed meanwhile, also gives ENOENT.
      if (systemCode(error) !== "ENOENT" || existsSync(directory)) throw this.#failure("list", directory, error);
    }
    if (keys.length === 0) this.absent();
    yield* keys.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  }

  private read(key: string, path: string, fresh: boolean): StoredObject | undefined {
    let fd: number | undefined;
    try {
      const now = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (now === undefined) return this.absent();
      const cached = fresh ? undefined : this.cache.get(path, now);
      if (cached !== undefined) return cached;
      // Opening a pipe would block, and a device never ends, so only regular files within the size limit are read.
      fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const stats = fstatSync(fd, { bigint: true });
      if (!stats.isFile()) throw new StoreDamaged(key, "no-file", "it is not a regular file");
      if (stats.size > MAX_FILE_BYTES) throw new StoreDamaged(key, "too-large", `it has ${stats.size} bytes`);
      const object = unseal(key, parseMessage(key, readFileSync(fd)));
      this.cache.add(path, { fd, stats, object });
      return object;
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      // The file was deleted after the stat.
      if (systemCode(error) === "ENOENT" && fd === undefined) return this.absent();
      throw error instanceof StoreUnavailable || error instanceof Failure ? error : this.#failure("get", path, error);
    }
  }

  private absent(): undefined {
    const mark = join(this.name, STORE_MARK);
    if (statSync(mark, { throwIfNoEntry: false }) === undefined) throw noStore(this.name);
    return undefined;
  }

  private check(path: string, key: string, condition: PutCondition): void {
    const current = this.tagAt(key, path);
    if (current !== ("ifTag" in condition ? condition.ifTag : undefined)) {
      throw new StoreConflict(`${key}: the object was ${current === undefined ? "deleted" : "replaced"}`);
    }
  }

  /** Also returns the tag of a damaged file, so that it can be overwritten. */
  private tagAt(key: string, path: string): StoreTag | undefined {
    try {
      return this.read(key, path, true)?.tag;
    } catch (error) {
      if (error instanceof StoreDamaged) return error.tag;
      throw error;
    }
  }

  /** Caches paths, because a reader requests a few keys again and again. */
  private pathOf(key: string): string {
    let path = this.paths.get(key);
    if (path === undefined) {
      checkKey(key);
      path = join(this.name, fileOfKey(key));
      if (this.paths.size >= MAX_PATHS) this.paths.clear();
      this.paths.set(key, path);
    }
    return path;
  }

  /** Creates missing directories. Concurrent puts share one sync of a new directory, off the event loop. */
  private async makeDirectories(directory: string): Promise<void> {
    const missing: string[] = [];
    let existing = directory;
    for (; !existsSync(existing); existing = dirname(existing)) missing.unshift(existing);
    if (missing.length === 0) {
      await this.unsynced.get(directory);
      return;
    }
    const before = this.unsynced.get(existing);
    for (const one of missing) makeOneDirectory(one);
    const synced = Promise.all([before, ...missing.map((one) => syncDirectory(dirname(one)))]);
    for (const one of missing) this.unsynced.set(one, synced);
    try {
      await synced;
    } finally {
      for (const one of missing) this.unsynced.delete(one);
    }
  }

  /** A writer ends at a missing permission. A reader's response is that of an unavailable store. */
  #failure(what: "get" | "list" | "put" | "delete", path: string, cause: unknown): Error {
    if (isForbidden(cause)) {
      const doing = what === "get" || what === "list" ? "read" : "write";
      const failure = storeForbidden(this.name, path, doing, cause);
      return this.lock === undefined ? new StoreForbidden(failure.message, { hint: failure.ownHint, cause }) : failure;
    }
    const Kind = isDiskFull(cause) ? StoreFull : StoreUnavailable;
    return new Kind(`${what} ${path}: ${errorMessage(cause)}`, { cause });
  }

  private writable(): FilesystemLock {
    if (this.lock === undefined) throw new TypeError(`${this.name} was opened for reading only`);
    return this.lock;
  }
}

class StoreForbidden extends StoreUnavailable {
  override readonly code = "store_forbidden";
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

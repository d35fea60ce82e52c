/** Allows one demo at a time per folder and port. */
import { createServer } from "node:net";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { Failure } from "../../src/values/failure.ts";

/** A kernel lock, held until it is closed or the process exits. Throws `Failure` if another demo holds it. */
export function takeLock(path: string): Database {
  const lock = new SqliteDatabase(path, { timeout: 0 });
  try {
    lock.pragma("locking_mode = EXCLUSIVE");
    lock.exec("BEGIN EXCLUSIVE; COMMIT");
    return lock;
  } catch (cause) {
    lock.close();
    throw new Failure("state_locked", `another demo is running on ${path}`, {
      hint: "End it with Ctrl-C in its terminal, then start again.",
      cause,
    });
  }
}

/** Throws `Failure` if another program listens on the port. */
export async function requireFreePort(port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  } catch (cause) {
    throw new Failure("address_unusable", `another program listens on 127.0.0.1:${port}`, {
      hint: `Stop it, or use another port: npm start -- --port ${port + 1}, or NOONMARK_PORT.`,
      cause,
    });
  }
  await new Promise((resolve) => server.close(resolve));
}

/**
 * Runs `ingest --follow nats://…` until a signal ends it (docs/spec/intake.md#stream). Each session begins at the
 * ledger's own position and with the checks of the stream, so there is one way to begin, whatever ended the last session.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import { isDiskFull } from "../../files/disk-full.ts";
import { isExposed, readShortFile } from "../../files/short-file.ts";
import { type Counts, Intake, NO_COUNTS, sumOf } from "../../ledger/intake/intake.ts";
import {
  attach,
  readStreamPosition,
  StreamSource,
  startAfter,
  streamGap,
} from "../../ledger/intake/stream-position.ts";
import { IdleWal } from "../../sqlite/idle-wal.ts";
import { Failure } from "../../values/failure.ts";
import { FUTURE_ALLOWANCE_MS } from "../../values/freshness.ts";
import { elementAt, errorMessage, errorOf } from "../../values/unknown.ts";
import { pause, type SourceLog, type SourceOutage } from "../followed.ts";
import { isQuiet } from "../input.ts";
import { LimitedReport, type RejectsFile } from "../rejects-file.ts";
import {
  type Credentials,
  type OpenStream,
  openStream,
  parseCredentials,
  StreamLost,
  type StreamMessage,
} from "./nats-stream.ts";
import type { StreamAddress, StreamServer } from "./stream-address.ts";

export interface FollowStreamOptions {
  readonly rejects: RejectsFile | undefined;
  readonly log: SourceLog;
  readonly stop: AbortSignal;
  /** The file of the credentials, if any. */
  readonly credentials: string | undefined;
  /** The first message to take, if the operator names it. */
  readonly from: number | undefined;
  /** Shows the counts while the command runs. Returns a function that ends this. */
  watch(counts: () => Counts): Promise<() => Promise<void>>;
  /** Start of round 0 in epoch seconds, the same on every machine that follows the stream. */
  readonly genesis: number | undefined;
  /** The host's clock, epoch ms. */
  now(): number;
}

/** Wait before the first server is tried again, and before a full disk or a wrong clock is (ms). */
const PAUSE_MS = 1_000;
const LONGEST_CREDENTIALS_BYTES = 64 * 1024;
/** Interval between two looks at an idle ledger's -wal file (ms). */
const IDLE_LOOK_MS = 500;

/**
 * Waits while no server responds, a clock is wrong or a disk is full. Throws `Failure` as intake, `startAfter`, `attach`
 * and `openStream` do.
 */
export async function followStream(
  address: StreamAddress,
  db: Database,
  options: FollowStreamOptions,
): Promise<Counts> {
  const { credentials, watch } = options;
  const parsed = credentials === undefined ? undefined : readCredentials(credentials);
  const follower = new StreamFollower(address, db, { ...options, credentials: parsed });
  // Report configuration errors before waiting for a server.
  startAfter(db, address.stream, address.subject, options.from);
  const stopWatch = await watch(() => follower.counts);
  const checkpoint = new IdleWal(db);
  const idle = setInterval(() => {
    checkpoint.look(performance.now());
    options.log.counts(follower.counts);
  }, IDLE_LOOK_MS);
  try {
    await follower.run();
  } finally {
    clearInterval(idle);
    await stopWatch();
  }
  return follower.counts;
}

function readCredentials(path: string): Credentials {
  let file: ReturnType<typeof readShortFile>;
  try {
    file = readShortFile(path, LONGEST_CREDENTIALS_BYTES);
  } catch (cause) {
    throw new Failure("file_unreadable", `${path} cannot be read: ${errorMessage(cause)}`, { cause });
  }
  if (!isExposed(file.mode)) return parseCredentials(file.text, path);
  throw new Failure(
    "file_exposed",
    `other users may use the credentials in ${path}: its mode is 0${file.mode.toString(8)}`,
    { hint: `Run: chmod 600 ${path}. If another user may have read it, make new credentials.` },
  );
}

/** The clocks of the host and of the stream differ by more than a minute, so `in_future` cannot be decided. */
class ClocksDiffer extends Error {}

interface SessionOptions extends Pick<FollowStreamOptions, "rejects" | "log" | "stop" | "from" | "genesis" | "now"> {
  readonly credentials: Credentials | undefined;
}

class StreamFollower {
  readonly #address: StreamAddress;
  readonly #db: Database;
  readonly #options: SessionOptions;
  readonly #stop: AbortSignal;
  readonly #connection: SourceOutage;
  readonly #clocks: SourceOutage;
  readonly #disk: SourceOutage;
  #hasBegun = false;
  /** Counts of the sessions that are over. */
  #finished: Counts = NO_COUNTS;
  #intake: Intake | undefined;
  #from: number | undefined;
  /** Attempts since a session began, and the last refusal among them. */
  #failures = 0;
  #refusal: Failure | undefined;

  constructor(address: StreamAddress, db: Database, options: SessionOptions) {
    this.#address = address;
    this.#db = db;
    this.#options = options;
    this.#stop = options.stop;
    this.#from = options.from;
    const { log } = options;
    this.#connection = log.outage(
      "stream_unavailable",
      "Check that the servers run and that the address has the right name of the stream: nats stream ls",
      "the stream is followed again",
    );
    this.#clocks = log.outage("stream_clock", "Correct the clocks: timedatectl", "the clocks agree again");
    this.#disk = log.fullDisk();
  }

  get counts(): Counts {
    return this.#intake === undefined ? this.#finished : sumOf(this.#finished, this.#intake.counts);
  }

  /** Runs one session after the other until the signal. */
  async run(): Promise<void> {
    const { servers } = this.#address;
    for (let attempt = 0; !this.#stop.aborted; attempt++) {
      try {
        await this.#session(elementAt(servers, attempt % servers.length));
      } catch (error) {
        const isRefusal = error instanceof Failure && REFUSALS.has(error.code);
        if (isRefusal) this.#refusal = error;
        if (error instanceof ClocksDiffer) this.#clocks.failed(error);
        else if (isDiskFull(error)) this.#disk.failed(errorOf(error));
        else if (isRefusal || error instanceof StreamLost) this.#connection.failed(error);
        else throw error;
        // One wrong server must not stop what another one can do.
        if (++this.#failures < servers.length) continue;
        if (this.#refusal !== undefined) throw this.#refusal;
        await pause(PAUSE_MS, this.#stop);
      }
    }
  }

  /** Returns when the signal has ended it. Throws why it ended otherwise. */
  async #session(server: StreamServer): Promise<void> {
    const { stream: name, subject } = this.#address;
    const after = startAfter(this.#db, name, subject, this.#from);
    const taken = readStreamPosition(this.#db)?.sequence ?? 0;
    const began = this.#options.now();
    const stream = await openStream(this.#address, server, this.#options.credentials, { after, taken });
    const onStop = () => stream.stop();
    this.#stop.addEventListener("abort", onStop);
    try {
      attach(this.#db, stream.state, after, this.#from);
      this.#from = undefined;
      this.#checkClock(stream.serverTime, began);
      this.#connection.succeeded();
      this.#failures = 0;
      this.#refusal = undefined;
      if (!this.#hasBegun) this.#options.log.following({ stream: name, subject, from: after + 1 });
      this.#hasBegun = true;
      if (stream.state.last === after) this.#clocks.succeeded();
      await this.#take(stream, after);
    } finally {
      this.#stop.removeEventListener("abort", onStop);
      this.#finished = this.counts;
      this.#intake?.abort();
      this.#intake = undefined;
      await stream.close();
    }
  }

  /** Takes messages until the stream ends, and commits what was taken. */
  async #take(stream: OpenStream, after: number): Promise<void> {
    if (this.#stop.aborted) return;
    const source = new StreamSource(after);
    let current: StreamMessage | undefined;
    let lines = 0;
    const intake = new Intake(this.#db, {
      source,
      now: () => current?.time ?? 0,
      genesis: this.#options.genesis,
      onRejected: (rejections) => {
        const from = { sequence: current?.sequence ?? 0 };
        const ofMessage = rejections.map((one) => ({ ...one, line: one.line - lines }));
        this.#options.log.rejected(ofMessage, from);
        const report = new LimitedReport(from, () => this.#options.rejects);
        report.add(ofMessage);
        report.end();
      },
    });
    this.#intake = intake;
    const flush = (): void => {
      intake.flush();
      this.#disk.succeeded();
    };
    try {
      for await (const message of pausing(stream.messages(), flush)) {
        await this.#check(message, source.sequence, current, stream);
        [current, lines] = [message, intake.lines];
        source.advance(message);
        intake.writeMessage(message.payload);
      }
    } finally {
      // Whole messages were taken, also if the stream has ended. A failure of the ledger has discarded its batch.
      if (this.#db.inTransaction) flush();
    }
  }

  /** Throws if the message must not be taken. */
  async #check(
    message: StreamMessage,
    last: number,
    before: StreamMessage | undefined,
    { look }: OpenStream,
  ): Promise<void> {
    const { stream, subject } = this.#address;
    const { sequence, delivery, time } = message;
    if (delivery !== (before?.delivery ?? 0) + 1 || sequence <= last)
      throw new StreamLost(`message ${sequence} of the stream ${stream} came out of order`);
    if (sequence !== last + 1) {
      // A fit stream loses only its first messages. So if the next one is there after this one arrived, none was lost in
      // between.
      const now = await look();
      if (sequence > now.last)
        throw new StreamLost(`the server sent message ${sequence} of the stream ${stream}, which ends at ${now.last}`);
      if (subject === null) throw streamGap(stream, last + 1, sequence);
      if (now.first > last + 1) throw streamGap(stream, last + 1, now.first);
    }
    const now = this.#options.now();
    if (time > now + FUTURE_ALLOWANCE_MS)
      throw new ClocksDiffer(
        `message ${sequence} of the stream ${stream} is of ${iso(time)}, and this clock says ${iso(now)}`,
      );
    // A message that arrives after a pause is new. If it seems old, the next session compares the clocks.
    if (before?.pending === 0 && time < now - FUTURE_ALLOWANCE_MS)
      throw new StreamLost(`the new message ${sequence} of the stream ${stream} is of ${iso(time)}`);
    this.#clocks.succeeded();
  }

  /** `began` is the host's clock before the connection. */
  #checkClock(serverTime: number, began: number): void {
    const now = this.#options.now();
    if (serverTime >= began - FUTURE_ALLOWANCE_MS && serverTime <= now + FUTURE_ALLOWANCE_MS) return;
    throw new ClocksDiffer(`the server's clock says ${iso(serverTime)}, and this clock says ${iso(now)}`);
  }
}

/** Failures of one server, which another server may not have. */
const REFUSALS: ReadonlySet<string> = new Set(["stream_access_denied", "stream_untrusted"]);

/**
 * Yields the messages. Calls `flush` when none is on its way, or when the next one does not arrive in time. It does not
 * end `messages`, which would wait for the next one: the session closes the stream.
 */
async function* pausing(
  messages: ReturnType<OpenStream["messages"]>,
  flush: () => void,
): AsyncGenerator<StreamMessage, void, undefined> {
  let pending = 0;
  for (;;) {
    const next = messages.next();
    if (pending > 0 ? await isQuiet(next) : !(await hasArrived(next))) flush();
    const { done, value } = await next;
    if (done === true) return;
    ({ pending } = value);
    yield value;
  }
}

/** True if `next` resolves before the event loop's next turn. Rejects if `next` does. */
function hasArrived(next: Promise<unknown>): Promise<boolean> {
  return Promise.race([next.then(() => true), nextTurn(false)]);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

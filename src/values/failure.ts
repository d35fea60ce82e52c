/**
 * What an operator reads if a command fails. The tables list every code of a failure: its exit code, what has happened, and
 * what to do. docs/reference/codes.md is printed from them.
 */
import { UnknownFormat } from "./format.ts";

/** Exit codes (docs/spec/publishing.md#commands). */
export const EXIT = { done: 0, failed: 1, usage: 2, io: 74, locked: 75 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export type FailureKind = readonly [exit: ExitCode, meaning: string, todo: string];

/**
 * A failure that an operator can act on: a stable code for programs, a sentence for people, and a hint. It is thrown
 * where the cause is known and printed once, by bin/. Its exit code is the code's, and so is its hint if it has none.
 */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: FailureCode;
  readonly exitCode: ExitCode;
  /** The next step, as a command. */
  readonly hint: string;

  constructor(code: FailureCode, message: string, options: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    const [exitCode, , todo] = failureKind(code);
    this.code = code;
    this.exitCode = exitCode;
    this.hint = options.hint ?? todo;
  }

  /** True if the code is about `subject`, such as "ledger" or "store". */
  isAbout(subject: "ledger" | "log" | "store" | "clock"): boolean {
    return this.code.startsWith(`${subject}_`);
  }
}

/** Returns the error of a reader as an operator's failure, if an object has another format. Other errors are returned unchanged. */
export function formatFailure(error: unknown): unknown {
  return error instanceof UnknownFormat ? new Failure("format_unknown", error.message, { cause: error }) : error;
}

const { failed, usage, io, locked } = EXIT;

const NEW_DEMO = "Name a directory that is new or empty: noonmark demo ./demo-2";
const FRESH_DEMO = "Start again from nothing: npm start -- --fresh";
const REBUILD = "`noonmark rebuild` derives the projections from the ledger again.";
const REREAD = "Delete it: the publisher reads the chain again.";
const INPUT = "Name a file of NDJSON, or - for standard input.";

export const FAILURES = {
  activity_behind: [
    failed,
    "The milestones have not followed every receipt yet.",
    "They are followed in steps, cycle by cycle; the activity is published when they are through.",
  ],
  at_before_published: [
    failed,
    "--at is before the last instant published.",
    "Use a later instant. If that one is ahead of the time: noonmark fsck --repair",
  ],
  at_in_future: [
    usage,
    "--at is more than a minute ahead.",
    "Use an instant that is not ahead. For a trial on an empty store, add --force.",
  ],
  chain_behind: [
    failed,
    "The chain does not continue what was published: its safe block is older, unknown or another one.",
    "What was published stays. A node that lags catches up. If this lasts, put another node first in rpcUrl, and find out which of the two is right: docs/incidents.md#chain-behind",
  ],
  chain_damaged: [io, "The file of what was read from the chain is damaged.", REREAD],
  chain_not_a_database: [io, "The file of what was read from the chain is not an SQLite file.", REREAD],
  clock_behind: [
    failed,
    "The last cycle was published as of a later time than this clock's.",
    "If this clock is wrong, correct it (NTP): publishing then continues. If it is right, rewrite the objects that are ahead of it: noonmark fsck --repair",
  ],
  clock_moved: [
    failed,
    "This machine's clock was set, or the machine slept.",
    "Nothing is written until the clock has been steady for a minute, or the store's clock agrees. Check NTP.",
  ],
  clock_skew: [
    failed,
    "This machine's clock differs from the store's by more than a minute.",
    "Nothing is written while the clock is wrong by more than a minute. Correct it (NTP).",
  ],
  conditions_unsupported: [
    usage,
    "The store does not check If-None-Match and If-Match on a put.",
    "Two publishers could overwrite each other. If there is only one, add --single-writer.",
  ],
  configuration_exists: [failed, "`init` found a configuration.", "Keep it, or overwrite it with --force."],
  configuration_unwritable: [
    io,
    "`init` cannot write the configuration.",
    "Name a file in a directory in which you may write: --config FILE.",
  ],
  constant_missing: [
    failed,
    "An object that others depend on is not in the store yet.",
    "It is put first, and could not be. See why it failed in noonmark status; the next cycle tries again.",
  ],
  credentials_invalid: [
    usage,
    "The file of NATS credentials is not in its form.",
    "Name the .creds file of `nsc generate creds`, or a file with the seed, which begins with SU.",
  ],
  credentials_unreadable: [
    io,
    "The file of NATS credentials cannot be read.",
    "Name the file of the NATS credentials by NOONMARK_NATS_CREDS.",
  ],
  demo_chain: [failed, "The chain of `npm start` rejected a call.", FRESH_DEMO],
  demo_ended: [failed, "A process of `npm start` has ended.", "Start again: npm start"],
  demo_rejected: [
    failed,
    "Intake rejected a record of the demo.",
    "This is a defect of Noonmark: report it with this message.",
  ],
  demo_running: [
    locked,
    "Another `npm start` runs in this checkout.",
    "End it with Ctrl-C in its terminal, then start again.",
  ],
  demo_unreadable: [usage, "A file of `npm start` is missing or damaged.", FRESH_DEMO],
  deployment_unreadable: [
    io,
    "The deployment file cannot be read.",
    "Name the deployment file with --deployment, or leave it out for a publisher without a chain.",
  ],
  directory_not_empty: [usage, "The directory for `demo` has files in it.", NEW_DEMO],
  disk_full: [
    io,
    "A disk has no free space.",
    "Nothing was lost. Free space on that disk (see it with df -h), then run the command again. A running publisher continues by itself.",
  ],
  file_unreadable: [
    io,
    "The file with the front's secret cannot be read.",
    "Name a file that this user may read: --front-secret-file FILE.",
  ],
  file_unwritable: [
    io,
    "`cdn` or `demo` cannot write a file.",
    "Name a directory in which you may write: --out DIRECTORY.",
  ],
  format_unknown: [
    io,
    "A file or object has another version of its format.",
    "Another version of Noonmark wrote it, and it was not changed. Use that version, or name another place.",
  ],
  genesis_in_future: [
    failed,
    "genesisTimestamp is later than this clock.",
    "Rounds that have not begun have no statistics. Set genesisTimestamp to the start of round 0, or correct the clock (NTP).",
  ],
  head_stands_still: [
    failed,
    "A node's newest block stays the same.",
    "Compare its height with a block explorer, as docs/nodes.md#stalled says. Restart the node or remove it from rpcUrl.",
  ],
  host_unusable: [
    failed,
    "This machine does not have the address to listen on.",
    "Give a host of this machine: 127.0.0.1, 0.0.0.0 or ::, or one that `ip address` lists.",
  ],
  https_unsupported: [
    usage,
    "Varnish speaks plain HTTP to its origins.",
    "Put a TLS proxy (stunnel, haproxy) beside it and give the proxy's http address, or use nginx.",
  ],
  indexer_mismatch: [
    failed,
    "A check of the chain failed.",
    "Look the check up in docs/spec/chain.md#checks. If the deployment has changed on purpose, correct deployment.json; else do not trust that node.",
  ],
  indexer_unavailable: [
    failed,
    "No node responds as it should.",
    "Check rpcUrl, its key and whether the node runs: noonmark doctor",
  ],
  input_not_found: [io, "`ingest` finds no file of that name.", INPUT],
  input_unreadable: [io, "`ingest` cannot read its input.", INPUT],
  installation_changed: [
    usage,
    "The store's prefix belongs to another installation than installationId.",
    "Publish to an empty prefix (--store), and point the CDN there: docs/operating.md#changing-the-installation",
  ],
  intake_rules_changed: [
    failed,
    "The ledger follows a stream and was filled by another version's rules of intake.",
    "Install the version that filled the ledger. Or begin a new ledger with this version, on every machine.",
  ],
  internal_error: [failed, "Noonmark has a defect.", "This is a defect of Noonmark; --debug shows where."],
  invalid_configuration: [
    usage,
    "The configuration file cannot be read, or is not in its form.",
    "Correct it there. `noonmark init --config FILE` writes a file of the right form.",
  ],
  invalid_deployment: [
    usage,
    "The deployment file is not in its form.",
    "docs/spec/chain.md#deployment lists its keys; chainId and blocks are integers, and no other key is allowed.",
  ],
  invalid_instant: [
    usage,
    "--at is not an instant.",
    "Give one in ISO 8601 with its zone, such as 2026-11-20T10:00:00Z.",
  ],
  invalid_key_name: [
    usage,
    "The name for a log's key is not a host name with or without a path.",
    "Give the host name of the deployment, such as: noonmark key generate wheel.example.org",
  ],
  invalid_prices: [
    usage,
    "The file of prices is not in its form.",
    "docs/prices.json shows the form; prices are per million requests.",
  ],
  invalid_setting: [
    usage,
    "A setting or an option has a value that is not allowed.",
    "The message names it, and the hint says what is allowed: docs/reference/settings.md",
  ],
  invalid_settings: [usage, "Several settings are wrong.", "Correct each of those that the hint lists."],
  lease_expired: [
    locked,
    "The lease could not be renewed in time, so nothing is written.",
    "The store did not respond in time, or this process was stopped. Run the command again.",
  ],
  lease_fresh: [
    locked,
    "The holder of the lease has just renewed it, so it may be alive.",
    "Stop that publisher: it releases the lease by itself. If its host is gone for good, add --force.",
  ],
  lease_held: [
    locked,
    "Another publisher holds the lease.",
    "Try again when that publisher has ended. `noonmark status` says more about it.",
  ],
  lease_lost: [
    locked,
    "Another publisher has taken over the lease, or `lease release` has released it.",
    "That publisher continues. Start this one again as its standby: noonmark publish",
  ],
  lease_unreadable: [
    io,
    "status.json in the store is damaged, or is not a lease record.",
    "Start a publisher: it takes the lease if this object does not change for 34 s.",
  ],
  ledger_behind: [
    failed,
    "The ledger has fewer facts than were published.",
    "What was published stays. Restore the missing facts from the store: noonmark ledger restore. docs/operating.md#backup-and-restore has the steps.",
  ],
  ledger_damaged: [
    io,
    "The ledger is damaged.",
    "Noonmark does not use a damaged ledger. Move it away, and restore it from the store: noonmark ledger restore. docs/operating.md#backup-and-restore has the steps.",
  ],
  ledger_follows_stream: [
    usage,
    "The ledger follows a stream, and takes facts from nothing else.",
    "Publish the lines on the stream. Every ledger that follows it then takes them.",
  ],
  ledger_forked: [
    failed,
    "The ledger has other facts than were published.",
    "Restore the ledger that was published from. If the published facts are lost for good, abandon them: noonmark publish --once --new-log N",
  ],
  ledger_not_found: [
    io,
    "The ledger does not exist.",
    "Check --ledger and the disk. If the ledger was lost, restore it from the store: noonmark ledger restore. To create a first ledger, run `noonmark ingest FILE`.",
  ],
  ledger_not_a_database: [
    io,
    "The file of the ledger is not an SQLite file.",
    "This file was not changed. If --ledger is wrong, name the ledger. If this was the ledger, move it away, and restore it from the store: noonmark ledger restore",
  ],
  log_damaged: [
    io,
    "An object of the published log is missing or damaged.",
    "A publisher whose ledger has these facts writes it again: noonmark publish --once --force",
  ],
  log_key_changed: [
    usage,
    "The stored log is signed by a key of another name.",
    "Set logKey to a key of the log's name. A new key of that name rotates: docs/log.md#rotation",
  ],
  log_key_exists: [
    failed,
    "There is a file in the place of the new key.",
    "It may hold the key of a published log, so it was not changed. For another key, add --out FILE.",
  ],
  log_key_exposed: [
    usage,
    "Other users of the machine may use the log's key.",
    "Run chmod 600 on the file. If another user may have read it, replace the key: docs/log.md#rotation",
  ],
  log_key_invalid: [
    usage,
    "The key file holds something else than the log's keys.",
    "Restore the file from its copy. A new key is made by: noonmark key generate NAME --out FILE",
  ],
  log_key_missing: [
    usage,
    "The stored log is signed, and the publisher has no key.",
    "Set logKey to the key file. If the key is lost, make one of the same name: docs/log.md#rotation",
  ],
  log_key_unreadable: [
    io,
    "The key file cannot be read.",
    "Name a file that this user may read, or make one: noonmark key generate NAME --out FILE",
  ],
  log_key_unwritable: [
    io,
    "The key file cannot be written.",
    "Name a file in a directory in which you may write: noonmark key generate NAME --out FILE",
  ],
  log_memory_unreadable: [
    usage,
    "The file of --since was not written by verify.",
    "Name the file of an earlier run, or a new one. A new one remembers nothing of the log.",
  ],
  log_not_replayable: [
    failed,
    "Intake does not accept an entry of the published log.",
    "The version that published the log has other rules of intake. Restore the ledger with that version.",
  ],
  log_unsigned: [
    failed,
    "The published log is not signed by the given key.",
    "Ask the operator for the verifier key. The operator prints it: noonmark key show FILE",
  ],
  log_unconfirmed: [
    usage,
    "The first publish with a key makes the log public for ever.",
    "Read which fields become public. To do it: noonmark publish --once --publish-log",
  ],
  metadata_too_large: [
    failed,
    "The next change by time does not fit into an object's metadata.",
    "This is a defect of Noonmark: report it with the route that noonmark status names.",
  ],
  missing_argument: [
    usage,
    "`ingest` needs a file.",
    "Name a file of NDJSON, or - for standard input; --example <type> shows a line of it.",
  ],
  missing_setting: [
    usage,
    "The command needs a setting that has no value.",
    "The hint names the flag, the variable and the key: docs/reference/settings.md",
  ],
  never_published: [
    failed,
    "The store has no publication.",
    "Publish to it with `noonmark publish`, or name another store: --store.",
  ],
  new_log_not_next: [
    usage,
    "--new-log is not the number after the published log's.",
    "Give the number that the message names. Only a published log can be abandoned.",
  ],
  new_log_unconfirmed: [
    usage,
    "--new-log abandons the published log for good. The message says what the ledger lacks of it.",
    "Add --yes if these facts are lost for good. Otherwise restore the ledger that was published from.",
  ],
  no_ledger: [
    usage,
    "There is no ledger to rebuild from.",
    "Give the ledger's path: --ledger, NOONMARK_LEDGER or the key ledger.",
  ],
  nodes_disagree: [
    failed,
    "The nodes of rpcUrl report different data.",
    "Find out which node is right, as docs/nodes.md#quorum says, and remove the other one from rpcUrl.",
  ],
  not_a_directory: [usage, "`demo` needs a directory.", NEW_DEMO],
  not_built: [
    failed,
    "The program, or the Worker's script, is not built.",
    "In a checkout: npm ci, then npm run build.",
  ],
  not_the_demo: [
    usage,
    "The folder of `npm start` has other files in it.",
    "Move or rename it, or start the demo in another checkout.",
  ],
  nothing_measured: [
    failed,
    "No publisher has counted its requests for a minute yet.",
    "A publisher reports its counts every ten minutes in its first hour, then every hour, and when it stops.",
  ],
  output_unwritable: [
    io,
    "`ingest` cannot print its counts, or `ledger export` its lines.",
    "A ledger holds what was accepted: run the same command again.",
  ],
  port_in_use: [failed, "Another program listens on the port.", "Stop it, or use another port."],
  port_unusable: [failed, "The system refuses to listen on the port.", "Use another port, above 1023."],
  prices_unreadable: [io, "The file of prices cannot be read.", "--prices names a file of JSON like docs/prices.json."],
  projections_damaged: [io, "The projections are damaged.", REBUILD],
  projections_not_a_database: [io, "The projections are not an SQLite file.", REBUILD],
  publisher_silent: [
    failed,
    "The lease was last renewed longer ago than --max-age.",
    "Start a publisher, or read the log of the one that runs: journalctl -u noonmark-publish",
  ],
  rejects_unwritable: [io, "The file of rejected lines cannot be written.", "Name another file with --rejects."],
  spool_unwritable: [
    io,
    "An ingested file cannot be moved.",
    "Ingested files are moved there: give this user write permission for the spool directory.",
  ],
  state_locked: [
    locked,
    "Another process uses the state directory.",
    "Wait until it has ended, or use another state directory (--state).",
  ],
  state_unusable: [
    io,
    "A file of the state directory is damaged or cannot be written.",
    "Delete the file that the hint names: it is rebuilt from the store.",
  ],
  store_damaged: [
    io,
    "An object of the store is not what was put.",
    "A publisher rewrites it by itself. To rewrite it now: noonmark fsck --repair",
  ],
  store_foreign: [
    usage,
    "The directory is not a store, and contains other files.",
    "Name an empty directory, or one that publish will make: --store DIRECTORY.",
  ],
  store_unavailable: [io, "The store does not respond, or not as it should.", "Check the store: noonmark doctor"],
  store_unreadable: [
    io,
    "The store is not a directory.",
    "Name the directory that the publisher writes to: --store DIRECTORY.",
  ],
  store_unwritable: [io, "The store's directory cannot be written.", "Name another directory with --store."],
  stream_access_denied: [
    failed,
    "The server of the stream denies access.",
    "Check the file that NOONMARK_NATS_CREDS names, and the user's permissions: docs/machines.md#stream",
  ],
  stream_gap: [
    failed,
    "Messages that the ledger has not taken are gone from the stream.",
    "Copy the ledger of a machine that took them. If no ledger did, accept the loss on every machine: --from-sequence N",
  ],
  stream_position_known: [
    usage,
    "--from-sequence is not the message after the ledger's last one.",
    "Leave out --from-sequence: the ledger knows its position.",
  ],
  stream_position_moved: [
    locked,
    "Another command has taken messages of the stream into the ledger.",
    "Another `noonmark ingest` follows the stream into this ledger. Stop one of the two.",
  ],
  stream_position_unknown: [
    usage,
    "The ledger has facts and no position in a stream.",
    "If it has every fact before message N of the stream and none after: --from-sequence N. Otherwise copy a ledger that follows the stream, or restore to a new file: noonmark ledger restore --ledger NEW.db",
  ],
  stream_replaced: [
    failed,
    "The stream is not the one that the ledger followed.",
    "The messages of a replaced stream may differ from the ledger's facts. If you know the next message, name it on every machine: --from-sequence N",
  ],
  stream_unfit: [
    failed,
    "The stream allows that messages disappear without a trace.",
    "nats stream edit STREAM --deny-delete --deny-purge --max-msgs-per-subject=-1",
  ],
  stream_untrusted: [
    failed,
    "The certificate of the stream's server is not accepted.",
    "Name the host as the certificate does. A private authority is named by NODE_EXTRA_CA_CERTS=FILE.",
  ],
  too_many_installations: [
    failed,
    "The ledger has more installations than a prefix holds. The last ones are not published.",
    "Divide the installations over several ledgers and prefixes: docs/scale.md#divide",
  ],
  unknown_installation: [
    usage,
    "The setting installationId names an installation without facts.",
    "Correct the setting installationId. For the first start of a new installation, give --allow-unknown.",
  ],
  unreachable: [
    io,
    "The address does not respond.",
    "Check that the address is right and that the front and its origin run.",
  ],
  usage: [
    usage,
    "The command line is not in its form.",
    "noonmark --help lists the commands, noonmark help COMMAND its options.",
  ],
} as const satisfies Record<string, FailureKind>;

/** Failures of an SQLite file. A code begins with the file's name: `chain_locked`. `FAILURES` has some with texts of their own. */
export const FILE_FAILURES = {
  damaged: [io, "The file is damaged.", "Restore it from a backup."],
  foreign: [io, "The file belongs to another program.", "Name another file. This one was not changed."],
  locked: [locked, "Another process is writing to the file.", "Try again when it is done."],
  not_a_database: [io, "The file is not an SQLite file.", "Name another file. This one was not changed."],
  not_found: [io, "The file does not exist.", "Check the path."],
  unreadable: [
    io,
    "The file cannot be read.",
    "Check its disk. Its directory must be writable, because SQLite keeps a -shm file beside it.",
  ],
  unwritable: [io, "The file cannot be written.", "Check the permissions of the file and of its directory."],
} as const satisfies Record<string, FailureKind>;

/** The SQLite files, by their names in messages and codes. */
export type FileName = "ledger" | "state" | "projections" | "chain";

export type FailureCode = keyof typeof FAILURES | `${FileName}_${keyof typeof FILE_FAILURES}`;

export function failureKind(code: FailureCode): FailureKind {
  if (code in FAILURES) return FAILURES[code as keyof typeof FAILURES];
  return FILE_FAILURES[code.slice(code.indexOf("_") + 1) as keyof typeof FILE_FAILURES];
}

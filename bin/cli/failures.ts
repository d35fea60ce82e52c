/**
 * The one table of failures: the exit code of each, what has happened, and what to do. src and publish name no command,
 * flag or setting. docs/reference.md is printed from the table.
 */
import { packageFile } from "../../src/files/package-file.ts";
import { StoreUnavailable } from "../../src/object-store/object-store.ts";
import { Failure } from "../../src/values/failure.ts";

/** Exit codes (docs/incidents.md#how-each-command-ends). */
export const EXIT = { done: 0, failed: 1, usage: 2, io: 74, locked: 75 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

type Row = readonly [exit: ExitCode, meaning: string, cure: string];

const { failed, usage, io, locked } = EXIT;

export const FAILURES = {
  activity_behind: [
    failed,
    "The milestones have not followed every receipt yet.",
    "They are followed in steps, cycle by cycle; the activity is published when they are through.",
  ],
  address_unusable: [
    failed,
    "This machine does not have the address to listen on, or refuses the port, or another program listens there.",
    "Give a host of this machine (127.0.0.1, 0.0.0.0 or ::, or one that `ip address` lists) and a free port above 1023.",
  ],
  at_before_published: [
    failed,
    "--at is before the last instant published.",
    "Use a later instant. If that one is ahead of the time: noonmark publish --once --accept-clock",
  ],
  at_in_future: [
    usage,
    "--at is more than a minute ahead.",
    "Use an instant that is not ahead. For a trial on an empty store, add --force.",
  ],
  chain_behind: [
    failed,
    "The chain does not continue what was published: its safe block is older, unknown or another one.",
    "What was published stays. A node that is down must run again, and one that lags catches up. If this lasts, put another node first in rpcUrl, and find out which of the two is right: docs/incidents.md#chain-behind",
  ],
  clock_behind: [
    failed,
    "The last cycle was published as of a later time than this clock's.",
    "If this clock is wrong, correct it (NTP): publishing then continues. If it is right, publish as of it: noonmark publish --once --accept-clock",
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
  demo_failed: [
    failed,
    "A file, a process or the chain of `npm start` is missing, damaged or has ended.",
    "Start it again: npm start",
  ],
  disk_full: [
    io,
    "A disk has no free space.",
    "Nothing was lost. Free space on that disk: df -h. A running publisher or intake continues by itself, and any other command must be run again.",
  ],
  file_exposed: [
    usage,
    "Other users of the machine may read a file of keys or credentials.",
    "Run chmod 600 on the file. If another user may have read it, replace its content; the log's key: docs/log.md#rotation",
  ],
  file_unreadable: [
    io,
    "A file that a setting or an argument names cannot be read, or is not in its form.",
    "The message names it. Correct it, or name a file that this user may read.",
  ],
  file_unwritable: [
    io,
    "A command cannot write a file, or would replace one.",
    "The message names it. Name another file, in a directory in which you may write.",
  ],
  format_unknown: [
    io,
    "A file or object has another version of its format.",
    "Another version of Noonmark wrote it, and it was not changed. Use that version, or name another place.",
  ],
  genesis_contradicted: [
    failed,
    "genesisTimestamp does not fit the rounds of the ledger, or is later than this clock.",
    "Set genesisTimestamp to the start of round 0. The message says which one fits the rounds: docs/facts.md#round",
  ],
  head_lost: [
    io,
    "private/head.json is missing or damaged, and something is published.",
    "Restore it from the bucket's versions or from a copy. Or begin a new one after the stored log: noonmark publish --once --new-head",
  ],
  head_older: [
    failed,
    "An older private/head.json came back.",
    "The publisher continues after the stored log by itself.",
  ],
  head_stands_still: [
    failed,
    "A node's newest block stays the same.",
    "Compare its height with a block explorer, as docs/nodes.md#stalled says. Restart the node or remove it from rpcUrl.",
  ],
  indexer_mismatch: [
    failed,
    "A check of the chain failed.",
    "Look the check up in docs/spec/chain.md#checks. If the deployment has changed on purpose, correct deployment.json; else do not trust that node.",
  ],
  indexer_unavailable: [failed, "No node responds as it should.", "Check rpcUrl, its key and whether the node runs."],
  installation_changed: [
    usage,
    "The store's prefix belongs to another installation than installationId.",
    "Publish to an empty prefix (--store), and point the CDN there: docs/storage.md#changing-the-installation",
  ],
  intake_rules_changed: [
    failed,
    "The ledger follows a stream and was filled by another version's rules of intake.",
    "Every machine must have taken the same last message. Then name the next one on each: --from-sequence N. Otherwise begin a new ledger with this version, on every machine.",
  ],
  internal_error: [failed, "Noonmark has a defect.", "This is a defect of Noonmark; --debug shows where."],
  invalid_setting: [
    usage,
    "A setting, an option or the configuration file has no value, or one that is not allowed.",
    "The message names it. docs/reference.md#settings says what is allowed. `noonmark init` writes a configuration file of the right form.",
  ],
  lease_expired: [
    locked,
    "The lease could not be renewed in time, so nothing is written.",
    "The store did not respond in time, or this process was stopped. Run the command again.",
  ],
  lease_held: [
    locked,
    "Another publisher holds the lease.",
    "Try again when that publisher has ended. `noonmark status` says more about it.",
  ],
  lease_lost: [
    locked,
    "Another publisher has taken over the lease.",
    "That publisher continues. Start this one again as its standby: noonmark publish",
  ],
  ledger_behind: [
    failed,
    "The ledger has fewer facts than were published.",
    "What was published stays. Restore the missing facts from the store: noonmark ledger restore (docs/operating.md#backup-and-restore). If they are lost for good, publish to an empty prefix, with a key of another name.",
  ],
  ledger_damaged: [
    io,
    "The ledger is damaged, or is not an SQLite file.",
    "It was not changed. If --ledger names the wrong file, correct it. Otherwise move the file away, and restore it from the store: noonmark ledger restore. docs/operating.md#backup-and-restore has the steps.",
  ],
  ledger_follows_stream: [
    usage,
    "The ledger follows a stream, and takes facts from nothing else.",
    "Publish the lines on the stream. Every ledger that follows it then takes them.",
  ],
  ledger_forked: [
    failed,
    "The ledger has other facts than were published.",
    "What was published stays. Restore the ledger that was published from. If the published facts are lost for good, publish to an empty prefix, with a key of another name.",
  ],
  ledger_is_mirror: [
    usage,
    "The ledger is a mirror: it was restored from a deployment's URL, so it takes no facts of its own.",
    "Continue it with the command that made it: noonmark ledger restore URL --log-key KEY. To restore your own ledger, leave the URL out. For facts of your own, name another ledger.",
  ],
  ledger_locked: [locked, "Another process is writing to the ledger.", "Try again when it is done."],
  ledger_not_found: [
    io,
    "The ledger does not exist.",
    "Check --ledger and the disk. If the ledger was lost, restore it from the store: noonmark ledger restore. To create a first ledger, run `noonmark ingest FILE`.",
  ],
  ledger_unusable: [
    io,
    "The ledger cannot be read or written, or is another program's file.",
    "Check its disk, and that this user owns it: chown USER: FILE. Its directory must be writable, because SQLite keeps a -shm file beside it.",
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
  log_not_replayable: [
    failed,
    "Intake does not accept an entry of the published log.",
    "The version that published the log has other rules of intake. Restore the ledger with that version.",
  ],
  log_unconfirmed: [
    usage,
    "The first publish with a key makes the log public for ever.",
    "What is published once cannot be taken back. To do it: noonmark publish --once --publish-log",
  ],
  log_unsigned: [
    failed,
    "The published log is not signed by the given key.",
    "Ask the operator for the verifier key. The operator prints it: noonmark key show FILE",
  ],
  never_published: [
    failed,
    "The store has no publication.",
    "Publish to it with `noonmark publish`, or name another store: --store.",
  ],
  nodes_disagree: [
    failed,
    "The nodes of rpcUrl report different data.",
    "Find out which node is right, as docs/nodes.md#quorum says, and remove the other one from rpcUrl.",
  ],
  not_built: [
    failed,
    "The program, or the Worker's script, is not built.",
    "In a checkout: npm ci, then npm run build.",
  ],
  output_unwritable: [
    io,
    "What a command prints cannot be written, such as on a full disk.",
    "Free space where the output goes. What the command did is done: `ingest` has accepted its facts, and may run again.",
  ],
  package_missing: [
    usage,
    "An optional package is not installed: NATS' client, or the one that metrics need.",
    "Install noonmark again, with its optional dependencies.",
  ],
  publisher_silent: [
    failed,
    "The lease was last renewed longer ago than --max-age.",
    "Start a publisher, or read the log of the one that runs: journalctl -u noonmark-publish",
  ],
  state_damaged: [
    io,
    "A file of the state directory is damaged, or is not an SQLite file.",
    "Stop the publisher and delete the file: the next start derives it again. With projections.db, saved settlements of an earlier deployment are lost.",
  ],
  state_locked: [
    locked,
    "Another process uses the state directory.",
    "Wait until it has ended, or use another state directory (--state).",
  ],
  state_not_found: [io, "A file of the state directory does not exist.", "Check the path (--state)."],
  state_unusable: [
    io,
    "A file of the state directory cannot be read or written, or is another program's.",
    "Check its disk, and that this user owns the directory: chown -R USER: DIRECTORY",
  ],
  store_damaged: [
    io,
    "An object of the store is not what was put.",
    "A publisher rewrites it by itself. To put it again now: noonmark publish --once --force",
  ],
  store_foreign: [
    io,
    "The path is not a store: a file, or a directory with other files.",
    "Name an empty directory, or one that publish will make: --store DIRECTORY.",
  ],
  store_unavailable: [
    io,
    "The store does not respond, or not as it should.",
    "Check that its server or its disk runs, and that --store names it (with S3: --s3-endpoint, --s3-region).",
  ],
  store_unusable: [
    io,
    "This user may not read or write a file of the store.",
    "Give the files to the user that publishes: chown -R USER: DIRECTORY",
  ],
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
    "The stream allows that messages disappear without a trace, or refuses to deliver them.",
    "Make a stream as in docs/machines.md#stream. With a filter: nats stream edit STREAM --deny-delete --deny-purge --max-msgs-per-subject=-1",
  ],
  stream_untrusted: [
    failed,
    "The certificate of the stream's server is not accepted.",
    "Name the host as the certificate does. A private authority is named by NODE_EXTRA_CA_CERTS=FILE.",
  ],
  too_many_installations: [
    failed,
    "The ledger has more installations than a prefix holds. The last ones are not published.",
    "Divide the installations over several ledgers, each with a prefix of its own.",
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
} as const satisfies Readonly<Record<string, Row>>;

/** Undefined for a code of another table, such as that of a damaged body. */
export function rowOf(code: string): Row | undefined {
  return Object.hasOwn(FAILURES, code) ? FAILURES[code as keyof typeof FAILURES] : undefined;
}

export function exitCodeOf({ code }: Failure): ExitCode {
  return rowOf(code)?.[0] ?? EXIT.failed;
}

/** A failure in the words that an operator reads. `code` is stable. */
export interface ReportedFailure {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export function reported(failure: Failure): ReportedFailure {
  return { code: failure.code, message: failure.message, hint: hintOf(failure) };
}

/** Returns the hint that the `throw` gave, else the cure of the code. */
export function hintOf({ code, hint }: Failure): string {
  return onThisMachine(hint ?? rowOf(code)?.[2] ?? FAILURES.internal_error[2]);
}

/** Returns the hint of a failure, or of a store's error of a known cause; undefined for all other errors. */
export function knownHint(error: unknown): string | undefined {
  if (error instanceof Failure) return hintOf(error);
  return error instanceof StoreUnavailable && error.hint !== undefined ? onThisMachine(error.hint) : undefined;
}

/** A page of the package and its section, such as docs/nodes.md#quorum. */
const PAGE = /(?<![\w./-])(docs\/[\w./-]+\.md)(?:#([\w-]+))?/g;

/** Names each page by its path on this machine, because nobody knows where npm has put the package. */
export function onThisMachine(hint: string): string {
  return hint.replace(PAGE, (_, page: string, section?: string) => {
    const path = packageFile(page);
    return section === undefined ? path : `${path} (section ${section})`;
  });
}

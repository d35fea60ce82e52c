/** Phrases the next step after a failure, with the flag or the setting that it needs. */

import { packageFile } from "../../src/files/package-file.ts";
import { StoreUnavailable } from "../../src/object-store/object-store.ts";
import { Failure, type HintFacts } from "../../src/values/failure.ts";
import { rowOf } from "./failures.ts";

/** Returns the hint that the `throw` gave, else that of the case (`facts`), else that of the code. */
export function hintOf(failure: Failure): string {
  return onThisMachine(specificHint(failure) ?? rowOf(failure.code)[2]);
}

/** Returns the hint of a failure, or of a store's error of a known cause; undefined for all other errors. */
export function knownHint(error: unknown): string | undefined {
  if (error instanceof Failure) return hintOf(error);
  const hint = error instanceof StoreUnavailable ? specificHint(error) : undefined;
  return hint && onThisMachine(hint);
}

function specificHint({ ownHint, facts }: Failure | StoreUnavailable): string | undefined {
  return ownHint ?? (facts && phrased(facts));
}

/** A failure in the words that an operator reads. `code` is stable. */
export interface ReportedFailure {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
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

/** Returns a failure in the words that an operator reads. */
export function reported(failure: Failure): ReportedFailure {
  return { code: failure.code, message: failure.message, hint: hintOf(failure) };
}

/** Replies of an S3 server, by their code. Others have no hint of their own. */
const S3_HINTS = new Map<string, string>([
  ["NoSuchBucket", "The bucket does not exist there. Create it, or correct --store and --s3-endpoint."],
  [
    "SignatureDoesNotMatch",
    "The secret does not match the access key: correct AWS_SECRET_ACCESS_KEY. A proxy that changes requests also causes this.",
  ],
  [
    "InvalidAccessKeyId",
    "The server does not know this access key: correct AWS_ACCESS_KEY_ID or --s3-endpoint. If AWS_PROFILE is set, its key is used.",
  ],
  [
    "AccessDenied",
    "This key may not do that. A publisher needs s3:GetObject, PutObject, DeleteObject and ListBucket; a shim needs the first and the last.",
  ],
  ["NoSuchKey", "No list is there. Give --s3-endpoint without the bucket, which --store names."],
  ["RequestTimeTooSkewed", "This machine's clock is wrong: set it (NTP)."],
  ["PermanentRedirect", "The bucket is in another region: set --s3-region to it."],
  ["AuthorizationHeaderMalformed", "The region is not the bucket's: set --s3-region to it."],
]);

function phrased(facts: HintFacts): string | undefined {
  switch (facts.is) {
    case "ledger_regression": {
      const restore = facts.isShort
        ? "Restore the missing facts from the store: noonmark ledger restore."
        : "Restore the ledger that was published from.";
      return `What was published stays. ${restore} If the published facts are lost for good, publish to an empty prefix, with a key of another name.`;
    }
    case "stream_behind":
      return "What was published stays. The stream has the missing facts. See whether noonmark ingest runs, and what it reports.";
    case "log_consent":
      return "What is published once cannot be taken back. To do it: noonmark publish --once --publish-log";
    case "log_name":
      return `Set logKey to a key of the name ${facts.name}. A new key of that name rotates: docs/log.md#rotation`;
    case "prefix_of_other":
      return `Publish ${facts.configured} to an empty prefix (--store), and point the CDN there: docs/storage.md#changing-the-installation`;
    case "published_offline":
      return "It is published as offline until its first fact. Check the setting installationId.";
    case "other_stream":
      return "Name that stream and its filter. To change to another one on purpose: --from-sequence N";
    case "restored_beside":
      return "Restore to a new file: --ledger NEW.db. Or take every published fact and no position: --without-stream";
    case "stream_gap":
      return `Copy the ledger of a machine that took them. If no ledger did, accept the loss on every machine: --from-sequence ${facts.sequence}`;
    case "no_store":
      return "Mount the disk of the store, or name the directory that the publisher writes to (--store). If the store is lost: docs/incidents.md#store-lost";
    case "store_location":
      return "Give --store DIRECTORY or --store s3://BUCKET/PREFIX.";
    case "s3_error":
      return S3_HINTS.get(facts.code);
    case "s3_region":
      return "Set the bucket's region: --s3-region, NOONMARK_S3_REGION or AWS_REGION.";
    case "s3_credentials":
      return "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run under a role.";
    case "s3_timeout":
      return `Check that the server runs, that --s3-endpoint is right, and the network and firewall: curl -v ${facts.address}`;
    case "not_s3":
      return "Another server responds there, such as a proxy or a console. Set --s3-endpoint to the port of the S3 API.";
    case "s3_no_date":
      return "The lease and the age of receipts need the store's time: let the server, and every proxy before it, send Date.";
    case "host_unknown":
      return `Correct the name in --s3-endpoint. Test the name service: getent hosts ${facts.host}`;
    case "no_name_server":
      return `Check this machine's network and DNS: getent hosts ${facts.host}`;
    case "not_listening":
      return "Start the server, or correct the host and port in --s3-endpoint.";
    case "connection_closed":
      return "Check the server's log, and that --s3-endpoint names the right port and scheme.";
    case "not_reachable":
      return `Check the network and the firewall: curl -v ${facts.address}`;
    case "no_https":
      return "Write http:// in --s3-endpoint, or use the port of https.";
    case "certificate":
      return `Set NODE_EXTRA_CA_CERTS to the file of its authority. See it with: openssl s_client -connect ${facts.host}:${facts.port}`;
  }
}

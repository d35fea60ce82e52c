/**
 * Runs the first section of docs/storage.md as written, on a bare Debian with radosgw, after the package is installed.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fenced } from "../../docs/markdown.ts";
import { packInto } from "../../package/packed-files.ts";
import { fillCache, onMachine, type Step } from "./debian-machine.ts";

const ROOT = join(import.meta.dirname, "../../..");
const blocksOf = (page: string) => fenced(readFileSync(join(ROOT, page), "utf8"), "sh");
const INSTALLATION = blocksOf("docs/operating.md").slice(0, 2);
const [, STORAGE = ""] = readFileSync(join(ROOT, "docs/storage.md"), "utf8").split(/^## /m);
const BLOCKS = fenced(STORAGE, "sh");
const GATEWAY = "http://127.0.0.1:7480";
const START_GATEWAY = `${process.execPath} ${join(ROOT, "test/servers/radosgw-process.ts")} ${new URL(GATEWAY).port} /srv/ceph.path > /srv/radosgw.log 2>&1 &
until [ -s /srv/ceph.path ]; do sleep 0.1; done
export CEPH_CONF=$(cat /srv/ceph.path) CEPH_ARGS="-n client.rgw"`;

/** Requests in the name of a user, and the status of each. */
const RIGHTS: readonly (readonly [method: string, target: string, publisher: number, shim: number])[] = [
  ["GET", "/noonmark/v1/public/modules", 200, 200],
  ["GET", "/noonmark/private/head.json", 200, 200],
  ["GET", "/noonmark/private/log/checkpoint", 200, 403],
  ["GET", "/noonmark/none", 404, 404],
  ["GET", "?list-type=2", 200, 200],
  ["PUT", "/noonmark/x", 200, 403],
  ["DELETE", "/noonmark/x", 204, 403],
  ["PUT", "/elsewhere/x", 403, 403],
  ["DELETE", "?policy=", 403, 403],
];
const asking = (environment: string) =>
  RIGHTS.map(([method, target]) => {
    const body = method === "PUT" ? "--data-binary x" : "";
    return `(. /etc/noonmark/${environment}
curl -s -o /dev/null -w '%{http_code}\\n' --aws-sigv4 aws:amz:us-east-1:s3 --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' -X ${method} ${body} '${GATEWAY}/wheel${target}')`;
  }).join("\n");
const CHECKS = [asking("environment"), asking("serve.environment"), "stat -c '%a %U' /etc/noonmark/*"];
/** A backup is restored beside a newer publication, and a new fact then comes into the spool of the intake's unit. */
const RESTORED = [
  `systemctl stop noonmark-publish
cd /var/lib/noonmark
receipt() { head -1 /srv/facts.ndjson | sed 's/000000000001"/00000000000'$1'"/; s/"sequence":12/"sequence":1'$1'/'; }
as_publisher sqlite3 ledger.db "VACUUM INTO 'ledger.backup.db'"
receipt 3 | as_publisher noonmark ingest - --config /etc/noonmark/noonmark.json
as_publisher noonmark publish --once --config /etc/noonmark/noonmark.json`,
  `rm -f ledger.db-wal ledger.db-shm && mv ledger.backup.db ledger.db
install -d -o noonmark -g noonmark spool && receipt 4 > spool/new.ndjson && chown noonmark: spool/new.ndjson
systemctl start noonmark-ingest
until has_ended noonmark-ingest || [ -e spool/done/new.ndjson ]; do sleep 0.1; done
cat /var/log/noonmark-ingest; find spool -type f; sqlite3 ledger.db "SELECT count(*) FROM receipt"`,
];

let folder: string;
let steps: Step[];
let checks: Step[];
let restored: Step[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "noonmark-bucket-"));
  const tarball = packInto(folder);
  await fillCache(folder, tarball);
  const all = await onMachine(folder, tarball, [START_GATEWAY, ...INSTALLATION, ...BLOCKS, ...CHECKS, ...RESTORED]);
  steps = all.splice(1 + INSTALLATION.length, BLOCKS.length);
  restored = all.splice(-RESTORED.length);
  checks = all.splice(-CHECKS.length);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every block of that section ends well", () => {
  expect(BLOCKS.length).toBeGreaterThan(4);
  const seen = BLOCKS.map((block, index) => ({ block, code: steps[index]?.code, output: steps[index]?.output }));
  expect(seen.filter(({ code }) => code !== 0)).toEqual([]);
});

test("status finds no problem, and verify and fsck have no finding", () => {
  const output = steps.map((step) => step.output).join("");
  expect(output).toMatch(/^ok {2}store {8}s3:\/\/wheel\/noonmark at \S+: read, written, conditions judged$/m);
  expect(output).not.toMatch(/^(?:FIX|problem )/m);
  expect(output).toMatch(/ created, 0 updated, 0 unchanged, 0 failed$/m);
  expect(output).toContain('"installationId":"wheel-1"');
  expect(output).toMatch(/ checks, 0 findings, /);
  expect(output).toMatch(/^\d+ objects, 0 findings$/m);
});

test("each user of the bucket has the rights of the page's table, and reads 404 for a missing key", () => {
  const [publisher, shim] = checks.map(({ output }) => output.trim().split("\n").map(Number));
  expect(publisher).toEqual(RIGHTS.map(([, , status]) => status));
  expect(shim).toEqual(RIGHTS.map(([, , , status]) => status));
});

test("only the publisher and root can read the settings and the keys", () => {
  expect(checks[2]?.output.trim().split("\n")).toEqual(["600 root", "600 noonmark", "600 root", "644 root"]);
});

test("the intake's unit, which has no network and no key, accepts nothing into a restored backup", () => {
  expect(restored[0]).toMatchObject({
    code: 0,
    output: expect.stringContaining("1 accepted, 0 duplicate, 0 rejected"),
  });
  expect(restored[1]?.output).toContain('"code":"store_not_compared"');
  expect(restored[1]?.output).toMatch(
    /"code":"ledger_behind".*"the log was published with 4 entries, and the ledger has 3"\}\n/,
  );
  expect(restored[1]?.output).toMatch(/^spool\/new\.ndjson\n1\n$/m);
});

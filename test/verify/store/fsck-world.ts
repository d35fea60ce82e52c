/** A published directory with all kinds of objects, which is copied for each damage. */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HEAD_KEY } from "../../../src/http/keys.ts";
import type { Signer } from "../../../src/log/signer.ts";
import { FilesystemStore } from "../../../src/object-store/filesystem/filesystem-store.ts";
import { fileOfKey } from "../../../src/object-store/filesystem/format.ts";
import type { ObjectStore, StoreObject } from "../../../src/object-store/object-store.ts";
import { sealOf } from "../../../src/object-store/seal-node.ts";
import { activityKey, activityTileKey } from "../../../src/resources/activity/route.ts";
import { decodeRoot, encodeIndexTile, encodeRoot } from "../../../src/resources/activity/stored-activity.ts";
import { hashOf } from "../../../src/resources/activity/tiles.ts";
import { type FsckReport, fsck } from "../../../src/verify/store/fsck.ts";
import { ingest } from "../../ledger/ingest.ts";
import { closure, instant, type Json, round, submission, uuid } from "../../ledger/samples.ts";
import { unitMinted } from "../../publish/activity/chain-logs.ts";
import { GrownChain } from "../../publish/activity/grown-chain.ts";
import { START, World } from "../../publish/world.ts";

/** The instant of the only cycle (epoch ms). The newest of the 300 receipts is 10 s old. */
export const PUBLISHED = START + 910_000;
const ASSET = "assets/style-0123456789ab.css";
const SITE = {
  program: "1.0.0",
  deployment: null,
  chainMaxAge: 600_000,
  files: [
    { path: ASSET, contentType: "text/css; charset=utf-8", text: "body{margin:0}" },
    { path: "docs.html", contentType: "text/html; charset=utf-8", text: "<!doctype html>" },
    { path: "openapi.json", contentType: "application/json; charset=utf-8", text: "{}" },
    { path: "robots.txt", contentType: "text/plain; charset=utf-8", text: "User-agent: *" },
    { path: "favicon.svg", contentType: "image/svg+xml", text: "<svg/>" },
    { path: "index.html", contentType: "text/html; charset=utf-8", text: `<!doctype html><link href="${ASSET}">` },
  ],
};

/** The store and its files, for a test to damage. */
export interface Damaged {
  readonly store: ObjectStore;
  readonly directory: string;
  /** Rewrites an object with a correct seal, like another program or a bug. */
  change(
    key: string,
    change: (object: StoreObject, text: string) => Partial<StoreObject> & { text?: string },
  ): Promise<void>;
  /** Changes the file's bytes without the store; false if they are the same. */
  bytes(key: string, change: (bytes: Buffer) => Buffer): boolean;
  fsck(now?: number): Promise<FsckReport>;
}

/** Two days before the first receipt (epoch seconds). */
const GENESIS = START / 1_000 - 172_800;
/** The last round is not accepted yet, and the one before it has not elapsed. */
const COUNTED: readonly Json[] = [
  ...[0, 1, 200, 290].map((id, index) =>
    round(id, { workUnits: String(600 * index), distanceMm: index === 1 ? null : "5300" }),
  ),
  closure(0, 1),
  closure(200, 200),
  closure(290, 290),
  round(291),
  ...[1, 2].map((n) => {
    const times = { submittedAt: instant(1), terminalAt: instant(3), confirmedAt: instant(2) };
    const expected = { cumulativeWork: `${n}00`, blockHeight: `${n}`, currentWork: "1", completedBlockCount: "2" };
    return submission({ submissionId: uuid(n), lifecycle: "confirmed", expected, ...times });
  }),
  submission({
    submissionId: uuid(3),
    expected: { cumulativeWork: "900", blockHeight: "9", currentWork: "1", completedBlockCount: "2" },
  }),
];

export class FsckWorld {
  readonly folder = mkdtempSync(join(tmpdir(), "noonmark-fsck-"));
  readonly #clean = join(this.folder, "clean");
  #copies = 0;

  readonly #world = new World();
  readonly #chain = new GrownChain();
  readonly #options;

  /** With signers the log is public. */
  constructor(signers: readonly Signer[] = []) {
    this.#options = { chain: this.#chain, site: SITE, genesisTimestamp: GENESIS, signers };
  }

  /** A copy of the store before the last cycle. */
  readonly older = join(this.folder, "older");

  /**
   * 300 receipts of one installation, 10 of another, rounds, a settlement, and 300 events. An index tile holds the
   * older events.
   */
  async publish(): Promise<void> {
    const store = new FilesystemStore(this.#clean, { write: true });
    this.#world.receive(200);
    this.#world.receive(4, 2, "wheel-2");
    const log = (blockNumber: bigint) => (_: unknown, logIndex: number) =>
      unitMinted({ blockNumber, logIndex, blockTimestamp: 1_700_000_000 });
    this.#chain.mine((blockNumber) => Array.from({ length: 300 }, log(blockNumber)));
    this.#chain.pass(PUBLISHED - 200_000);
    await this.#cycle(store, "state", PUBLISHED - 200_000);
    cpSync(this.#clean, this.older, { recursive: true });
    this.#world.receive(100);
    this.#world.receive(6, 2, "wheel-2");
    ingest(this.#world.ledger, COUNTED);
    this.#chain.pass(PUBLISHED);
    await this.#cycle(store, "state", PUBLISHED);
    await addIndexTile(damagedAt(this.#clean));
  }

  /** Publishes like `publish --once --force` from the same ledger and chain, with new state. */
  force(store: ObjectStore): Promise<void> {
    return this.#cycle(store, `state-${++this.#copies}`, PUBLISHED + 1_000);
  }

  async #cycle(store: ObjectStore, state: string, at: number): Promise<void> {
    this.#world.now = at;
    const worker = await this.#world.work({
      store,
      state,
      ...this.#options,
      force: at > PUBLISHED,
      opens: { newHead: at > PUBLISHED },
    });
    const { failures } = await worker.cycle(at);
    await worker.stop();
    if (failures.length > 0) throw new Error(JSON.stringify(failures));
  }

  copy(): Damaged {
    const directory = join(this.folder, `copy-${++this.#copies}`);
    cpSync(this.#clean, directory, { recursive: true });
    return damagedAt(directory);
  }

  end(): void {
    this.#world.end();
    rmSync(this.folder, { recursive: true });
  }
}

function damagedAt(directory: string): Damaged {
  const store = new FilesystemStore(directory, { write: true });
  return {
    store,
    directory,
    async change(key, change) {
      const found = await store.get(key);
      if (found === undefined) throw new Error(`${key} does not exist`);
      const { tag: _, ...object } = found;
      const { text, ...rest } = change(object, new TextDecoder().decode(object.body));
      await store.put(key, { ...object, ...rest, ...(text === undefined ? {} : { body: Buffer.from(text) }) });
    },
    bytes(key, change) {
      const path = join(directory, fileOfKey(key));
      const before = readFileSync(path);
      const after = change(before);
      writeFileSync(path, after);
      return !after.equals(before);
    },
    fsck: (now = PUBLISHED) => fsck(new FilesystemStore(directory, { write: false }), now),
  };
}

/** Long histories have index tiles. This one names the two tiles of the players' activity. */
async function addIndexTile({ store, change }: Damaged): Promise<void> {
  const key = activityKey("players");
  const head = await store.get(key);
  const decoded = head && decodeRoot(new TextDecoder().decode(head.body));
  const [first, second] = decoded?.tiles ?? [];
  if (head === undefined || decoded === undefined || first === undefined || second === undefined) {
    throw new Error("expected two tiles");
  }
  const text = encodeIndexTile([first, second]);
  const name = hashOf(text);
  await store.put(activityTileKey("players", name), { ...head, body: Buffer.from(text), metadata: {} });
  const indexes = [{ name, last: second.last, first }];
  await change(key, () => ({ text: encodeRoot({ ...decoded, tiles: [], indexes }) }));
  const changed = await store.get(key);
  const seal = changed && sealOf(changed);
  await change(HEAD_KEY, (_, published) => {
    const { responses, ...rest } = JSON.parse(published);
    return { text: JSON.stringify({ ...rest, responses: { ...responses, [key]: { ...responses[key], seal } } }) };
  });
}

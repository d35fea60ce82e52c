/** Checks the stored log against its checkpoint, and the tiles of observations against its receipts, entry by entry. */
import { checkpointKey, type LogForm, logPrefix, TILE_SIZE } from "../../http/keys.ts";
import {
  type Bundle,
  bundlePath,
  decodeBundle,
  newBundles,
  newTiles,
  TILE_WIDTH,
  type Tile,
  tilePath,
} from "../../log/tiles.ts";
import { joinedHash, leafHash, rootAt } from "../../log/tree.ts";
import { encodeObservationCursor, observationTileKey } from "../../resources/observations/route.ts";
import { fieldsOf } from "../../values/unknown.ts";
import { differenceOf } from "../log/observations.ts";
import type { Pass } from "./pass.ts";

/** The log of the head. */
export interface StoredLog {
  readonly form: LogForm;
  readonly size: number;
  readonly root: string;
  /** By installation: the key of its telemetry, and the position of its receipt, which is the last one in the tiles. */
  readonly newest: Map<string, { readonly key: string; readonly position: number }>;
}

type Receipt = Readonly<Record<string, unknown>>;

/** Its memory grows with the count of installations, and with a 256th of the log. */
export async function judgeLog(pass: Pass, log: StoredLog): Promise<void> {
  const { form, size, root } = log;
  const tiles = new ReceiptTiles(pass, log);
  /** Hashes by level: of level 0 those of the current bundle. */
  const levels: Buffer[][] = [];
  for (const bundle of newBundles(0, size)) {
    const texts = await entriesOf(pass, log, bundle);
    // Without a bundle nothing after it can be proved.
    if (texts === undefined) return;
    levels[0] = texts.map(leafHash);
    await judgeTile(pass, log, { level: 0, ...bundle }, levels[0]);
    for (let level = 0; bundle.width === TILE_WIDTH && (levels[level]?.length ?? 0) % TILE_WIDTH === 0; level++) {
      (levels[level + 1] ??= []).push(joinedHash(levels[level]?.slice(-TILE_WIDTH) ?? []));
    }
    for (const text of texts) await tiles.take(text);
  }
  for (const tile of newTiles(0, size)) {
    const first = tile.index * TILE_WIDTH;
    if (tile.level > 0) await judgeTile(pass, log, tile, levels[tile.level]?.slice(first, first + tile.width) ?? []);
  }
  const end = (level: number, from: number, to: number) =>
    level === 0 ? (levels[0] ?? []).slice(0, to - from) : (levels[level] ?? []).slice(from, to);
  const computed = rootAt(size, end).toString("base64");
  if (computed !== root) pass.add("wrong", checkpointKey(form), `its ${size} entries have the root ${computed}`);
  await tiles.end();
}

async function entriesOf(pass: Pass, { form }: StoredLog, bundle: Bundle): Promise<string[] | undefined> {
  const key = keyOf(pass, logPrefix(form), bundle, bundlePath);
  return pass.judged(key, ({ body }) => {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const entries = decodeBundle(body, widthOf(key));
    return entries.slice(0, bundle.width).map((entry) => decoder.decode(entry));
  });
}

/** A file that has grown since replaces a partial one. */
function keyOf<Place extends Bundle>(pass: Pass, prefix: string, place: Place, path: (place: Place) => string): string {
  const key = prefix + path(place);
  const whole = prefix + path({ ...place, width: TILE_WIDTH });
  return !pass.keys.has(key) && pass.keys.has(whole) ? whole : key;
}

function widthOf(key: string): number {
  return Number(/\.p\/(\d+)$/.exec(key)?.[1] ?? TILE_WIDTH);
}

async function judgeTile(pass: Pass, { form }: StoredLog, tile: Tile, hashes: readonly Buffer[]): Promise<void> {
  const expected = Buffer.concat([...hashes]);
  await pass.judged(keyOf(pass, logPrefix(form), tile, tilePath), ({ body }) =>
    Buffer.compare(body.subarray(0, expected.length), expected) === 0 ? body : "it has other hashes than the entries",
  );
}

/** Receipt k of an installation is line k of its tiles. */
class ReceiptTiles {
  readonly #pass: Pass;
  readonly #log: StoredLog;
  /** By installation: the receipts of the tile that is not compared yet, and how many come before them. */
  readonly #open = new Map<string, { receipts: Receipt[]; before: number }>();

  constructor(pass: Pass, log: StoredLog) {
    this.#pass = pass;
    this.#log = log;
  }

  async take(entry: string): Promise<void> {
    if (!entry.includes('"type":"receipt"')) return;
    const fact = fieldsOf(JSON.parse(entry));
    const id = String(fact.installationId);
    const open = this.#open.get(id) ?? { receipts: [], before: 0 };
    this.#open.set(id, open);
    // The publisher has not finished the tiles of later receipts.
    if (open.before + open.receipts.length >= (this.#log.newest.get(id)?.position ?? 0)) return;
    open.receipts.push(fact);
    if (open.receipts.length === TILE_SIZE) await this.#compare(id);
  }

  async end(): Promise<void> {
    for (const [id, { key, position }] of this.#log.newest) {
      const { receipts = [], before = 0 } = this.#open.get(id) ?? {};
      if (receipts.length > 0) await this.#compare(id);
      const count = before + receipts.length;
      if (count < position) this.#pass.add("wrong", key, `it is of receipt ${position}, and the log has ${count}`);
    }
  }

  async #compare(id: string): Promise<void> {
    const open = this.#open.get(id);
    if (open === undefined) return;
    const { receipts, before } = open;
    const key = observationTileKey(id, before / TILE_SIZE);
    await this.#pass.judged(key, ({ body }) => {
      const lines = new TextDecoder().decode(body).split("\n");
      if (lines.length < receipts.length) return `it has ${lines.length} receipts, and the log ${receipts.length}`;
      for (const [index, receipt] of receipts.entries()) {
        const item = { cursor: "", ...fieldsOf(JSON.parse(lines[index] ?? "")) };
        const isOwn = item.cursor === encodeObservationCursor(before + index + 1);
        const difference = isOwn ? differenceOf(receipt, item) : `the cursor ${item.cursor}`;
        if (difference !== undefined) return `line ${index + 1} has ${difference}`;
      }
      return lines;
    });
    this.#open.set(id, { receipts: [], before: before + receipts.length });
  }
}

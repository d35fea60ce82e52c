/**
 * Tiles of the activity whose bytes are not those that their names say, or that are gone (docs/spec/publishing.md#damage),
 * put anew under the names that lead to them.
 */

import { StoreDamaged } from "../../src/object-store/object-store.ts";
import { readOrDamaged } from "../../src/object-store/read-or-damaged.ts";
import { encodeWriterMetadata, JSON_TYPE } from "../../src/object-store/stored-answer.ts";
import { HIGHEST } from "../../src/projections/activity/activity-events.ts";
import { TileTree } from "../../src/projections/activity/tile-tree.ts";
import { activityTileKey, CATEGORIES, type Category } from "../../src/resources/activity/keys.ts";
import { hashInName, hashOf } from "../../src/resources/activity/tiles/tile-body.ts";
import { tileAt } from "../../src/resources/activity/tiles/tiles.ts";
import { fencedPut } from "../lease/fenced-put.ts";
import { eachLimited } from "../puts/each-limited.ts";
import { type ReportRow, WAS_DAMAGED } from "../puts/report.ts";
import type { Mending } from "./observation-tiles.ts";

/** Of what the heads lead to: a row for each tile that was put. */
export async function mendActivity(mending: Mending): Promise<ReportRow[]> {
  const rows: ReportRow[] = [];
  for (const category of CATEGORIES) {
    const names = mending.sources.snapshot(({ projections }) => {
      const tree = new TileTree(projections, category);
      return ([1, 2] as const).flatMap((level) =>
        tree.between(level, "", HIGHEST).flatMap(({ name }) => (name === null ? [] : [name])),
      );
    });
    await eachLimited(names, mending.target.concurrency, async (name) => {
      const row = await mendTile(category, name, mending);
      if (row !== undefined) rows.push(row);
    });
  }
  return rows;
}

async function mendTile(
  category: Category,
  name: string,
  { sources, target, at }: Mending,
): Promise<ReportRow | undefined> {
  const key = activityTileKey(category, name);
  const found = await readOrDamaged(target.store, key);
  const isWhole = (body: Uint8Array) => hashOf(new TextDecoder().decode(body)) === hashInName(name);
  if (found !== undefined && !(found instanceof StoreDamaged) && isWhole(found.body)) return undefined;
  const text = sources.snapshot((snapshot) => tileAt(snapshot, category, name));
  if (text === undefined || hashOf(text) !== hashInName(name)) return undefined;
  const { epoch, writer } = target.fence;
  const body = Buffer.from(text);
  const object = { body, contentType: JSON_TYPE, metadata: encodeWriterMetadata({ epoch, writer, asof: { at } }) };
  await fencedPut(target, { key, object, replaces: found?.tag });
  const put = { action: "updated", why: WAS_DAMAGED, status: 200, etag: null } as const;
  return { key, resource: "activity", ...put, bytes: body.length, milliseconds: 0 };
}

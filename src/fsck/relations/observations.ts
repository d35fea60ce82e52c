/** The tiles of each history: from the first on, without a gap, full but for the last, and in a history that is known. */
import { TILE_SIZE } from "../../http/keys.ts";
import { observationsKey, observationTileKey } from "../../resources/observations/keys.ts";
import type { Facts, ObservationTileFacts } from "../facts.ts";
import { indexNames } from "../index-names.ts";
import type { Finding } from "../rules.ts";

export function* observationFindings(facts: Facts): Generator<Finding> {
  const index = indexNames(facts);
  for (const [name, tiles] of facts.histories) {
    const [installationId = "", history = ""] = name.split(" ");
    const keyOf = (tile: number) => observationTileKey(installationId, history, tile);
    yield* gaps(tiles, keyOf, facts);
    yield* positions(tiles, keyOf, facts);
    const known = index?.histories.get(installationId);
    if (index?.isReadable(installationId) !== true || (known !== undefined && Number(history) <= Number(known)))
      continue;
    const says = known === undefined ? "the index does not know the installation" : `the index names history ${known}`;
    yield { rule: "tile-history", key: `${observationsKey(installationId)}/${history}`, says };
  }
}

type KeyOf = (tile: number) => string;

function* gaps(tiles: readonly ObservationTileFacts[], keyOf: KeyOf, { keys }: Facts): Generator<Finding> {
  const last = Math.max(...tiles.map(({ tile }) => tile));
  const byTile = new Map(tiles.map((one) => [one.tile, one]));
  for (let tile = 0; tile < last; tile++) {
    const found = byTile.get(tile);
    const key = keyOf(tile);
    if (found === undefined && !keys.has(key)) {
      yield { rule: "tile-gap", key, says: `it is missing, the history goes on to tile ${last}` };
    } else if (found !== undefined && found.positions < TILE_SIZE) {
      yield { rule: "tile-gap", key, says: `it has ${found.positions} positions, and the history goes on behind it` };
    }
  }
}

function* positions(tiles: readonly ObservationTileFacts[], keyOf: KeyOf, { writers }: Facts): Generator<Finding> {
  for (const { tile, positions: count, lastTelemetryId, complaint } of tiles) {
    const asof = writers.get(keyOf(tile))?.asof;
    if (asof === undefined || complaint !== undefined) continue;
    const through = tile * TILE_SIZE + count;
    if (asof.position === through && asof.telemetryId === lastTelemetryId) continue;
    const says = `it goes through position ${through} (${lastTelemetryId}), its asof says ${asof.position} (${asof.telemetryId})`;
    yield { rule: "tile-position", key: keyOf(tile), says };
  }
}

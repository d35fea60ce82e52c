/** The objects of the observations: tiles of an installation's histories (docs/spec/publishing.md#objects). */
import { pathKey, TILE_SIZE } from "../../http/keys.ts";
import { isInstallationId } from "../../values/installation-id.ts";

/** The prefix of an installation's histories. */
export function observationsKey(installationId: string): string {
  return pathKey(`/v1/public/installations/~${installationId}/observations`);
}

/** Tile n holds the positions n·128 + 1 to (n + 1)·128 of one history. */
export function observationTileKey(installationId: string, history: string, tile: number): string {
  return `${observationsKey(installationId)}/${history}/${tile}`;
}

/** The tile that holds a position. */
export function tileOf(position: number): number {
  return Math.floor((position - 1) / TILE_SIZE);
}

export interface ObservationTile {
  readonly installationId: string;
  readonly history: string;
  readonly tile: number;
}

/** The reverse of `observationTileKey`; `undefined` for any other key. */
export function parseObservationTileKey(key: string): ObservationTile | undefined {
  const match = /^v1\/public\/installations\/~([^/]+)\/observations\/([^/]+)\/(0|[1-9]\d*)$/.exec(key);
  if (match === null) return undefined;
  const [, installationId = "", history = "", tile = ""] = match;
  return isInstallationId(installationId) ? { installationId, history, tile: Number(tile) } : undefined;
}

/** A store that builds each object from the sources when it is read. */
import { INSTALLATIONS_KEY } from "../src/http/keys.ts";
import { installationRowId, listInstallations } from "../src/ledger/watermarks.ts";
import type { ObjectStore, StoredObject } from "../src/object-store/object-store.ts";
import { JSON_TYPE } from "../src/object-store/stored-response.ts";
import { parseActivityTileKey } from "../src/resources/activity/route.ts";
import { tileAt } from "../src/resources/activity/tiles.ts";
import { type ObservationTile, parseObservationTileKey } from "../src/resources/observations/route.ts";
import { buildOf, type Publication } from "../src/resources/publication.ts";
import type { Snapshot, Snapshots } from "../src/resources/snapshot.ts";
import { telemetryPublication, unknownTelemetryPublication } from "../src/resources/telemetry/publication.ts";
import { parseInstallationTelemetryKey } from "../src/resources/telemetry/route.ts";
import { indexOf, observationTile, TILE_TYPE } from "./plan/installations.ts";
import { futureOf, responseObject } from "./plan/successors.ts";

export interface SourceStoreOptions {
  readonly publications: readonly Publication[];
  /** Epoch ms. */
  readonly at: number;
  /** The projections are up to date. */
  readonly sources: Snapshots;
}

/** Only `get` works: a shim needs no more. */
export function sourceStore({ publications, at, sources }: SourceStoreOptions): Pick<ObjectStore, "get"> {
  return {
    async get(key) {
      return sources.snapshot((snapshot) => {
        const tile = parseObservationTileKey(key);
        if (tile !== undefined) return tileOf(snapshot, tile);
        const activityTile = parseActivityTileKey(key);
        if (activityTile !== undefined) {
          return objectOf(tileAt(snapshot, activityTile.category, activityTile.name), JSON_TYPE);
        }
        const publication = publicationAt(key, snapshot, publications);
        return publication === undefined ? undefined : responseOf(publication, snapshot, at);
      });
    },
  };
}

function publicationAt(key: string, snapshot: Snapshot, publications: readonly Publication[]): Publication | undefined {
  const { installationId: configured, ledger } = snapshot;
  if (key === INSTALLATIONS_KEY) return indexOf(snapshot, Number.POSITIVE_INFINITY);
  const ids = ledger === undefined ? [] : listInstallations(ledger).map(({ id }) => id);
  const other = parseInstallationTelemetryKey(key);
  if (other !== undefined) return ids.includes(other) ? telemetryPublication(other, false) : undefined;
  return [telemetryPublication(configured, true), unknownTelemetryPublication, ...publications].find(
    (publication) => publication.key === key,
  );
}

function responseOf(publication: Publication, snapshot: Snapshot, at: number): StoredObject {
  const future = futureOf((instant) => buildOf(publication, snapshot, instant), at);
  return { ...responseObject(future, at).object, tag: "" };
}

function tileOf({ ledger }: Snapshot, { installationId, tile }: ObservationTile): StoredObject | undefined {
  const rowId = ledger && installationRowId(ledger, installationId);
  if (ledger === undefined || rowId === undefined) return undefined;
  return objectOf(observationTile(ledger, { rowId, id: installationId }, tile), TILE_TYPE);
}

function objectOf(body: string | Buffer | undefined, contentType: string): StoredObject | undefined {
  return body === undefined ? undefined : { body: Buffer.from(body), contentType, metadata: {}, tag: "" };
}

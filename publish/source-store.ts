/**
 * A store that holds nothing and builds what is asked for from the sources, so that `render` answers through the very
 * shim that readers meet, and publishes nothing.
 */
import {
  INSTALLATIONS_KEY,
  parseActivityTileKey,
  parseInstallationTelemetryKey,
  parseObservationTileKey,
} from "../src/http/keys.ts";
import { listInstallations } from "../src/ledger/watermarks.ts";
import type { ObjectStore, StoredObject, StoreObject } from "../src/object-store/object-store.ts";
import { encodeAnswer, JSON_TYPE } from "../src/object-store/stored-answer.ts";
import { tileBounds } from "../src/resources/observations/build.ts";
import { feedContext } from "./activity/context.ts";
import { feedTileAt } from "./activity/put-tiles.ts";
import { futureOf } from "./answers/future.ts";
import type { Publication } from "./answers/publication.ts";
import { planTiles, TILE_TYPE } from "./observations/tiles.ts";
import {
  installationsPublication,
  telemetryPublication,
  unknownTelemetryPublication,
} from "./publications/measurement.ts";
import type { Sources } from "./sources/sources.ts";

export interface SourceStoreOptions {
  readonly publications: readonly Publication[];
  /** Epoch ms. */
  readonly at: number;
  read<T>(use: (sources: Sources) => T): T;
}

const HISTORY = "1";
const NOBODY = { epoch: 0, writer: "render", asof: { at: 0 } };

/** Only `get` is of use: it is a store for a shim. */
export function sourceStore(options: SourceStoreOptions): Pick<ObjectStore, "get"> {
  return {
    async get(key) {
      const tile = parseObservationTileKey(key);
      if (tile !== undefined) return buildTile(options, tile.installationId, tile.tile);
      const feedTile = parseActivityTileKey(key);
      if (feedTile !== undefined) return options.read((sources) => buildFeedTile(sources, feedTile));
      return options.read((sources) => {
        const publication = publicationAt(key, sources, options.publications);
        return publication === undefined ? undefined : buildAnswer(publication, sources, options.at);
      });
    },
  };
}

function publicationAt(key: string, sources: Sources, publications: readonly Publication[]): Publication | undefined {
  const { installationId: configured, facts } = sources;
  const ids = facts === undefined ? [] : listInstallations(facts.ledger).map(({ id }) => id);
  if (key === INSTALLATIONS_KEY) return installationsPublication(configured, new Map(ids.map((id) => [id, HISTORY])));
  const other = parseInstallationTelemetryKey(key);
  if (other !== undefined) return ids.includes(other) ? telemetryPublication(other, false) : undefined;
  return [telemetryPublication(configured, true), unknownTelemetryPublication, ...publications].find(
    (publication) => publication.key === key,
  );
}

function buildAnswer(publication: Publication, sources: Sources, at: number): StoredObject {
  const { built, states, successors } = futureOf((instant) => publication.build(sources, instant), at);
  const representation = { status: built.status, headers: built.headers };
  const answer = { representation, body: Buffer.from(built.body), successors, states, mark: NOBODY };
  return { ...encodeAnswer(answer), tag: "" };
}

function buildTile(options: SourceStoreOptions, installationId: string, tile: number): StoredObject | undefined {
  return options.read(({ facts }) => {
    const found = facts && listInstallations(facts.ledger).find(({ id }) => id === installationId);
    if (facts === undefined || found === undefined) return undefined;
    const position = tileBounds(tile).first - 1;
    const [planned] = planTiles(facts.ledger, found, { history: HISTORY, position, tag: null }, 1);
    return planned === undefined ? undefined : { ...objectOf(planned.body, TILE_TYPE), tag: "" };
  });
}

function buildFeedTile(
  { projections, chain, installationId, tilePrefix }: Sources,
  { category, name }: NonNullable<ReturnType<typeof parseActivityTileKey>>,
): StoredObject | undefined {
  const context = feedContext(installationId, chain);
  const body = context && feedTileAt(projections, category, context, tilePrefix, name);
  return body === undefined ? undefined : { ...objectOf(body, JSON_TYPE), tag: "" };
}

function objectOf(body: string | Buffer, contentType: string): StoreObject {
  return { body: Buffer.from(body), contentType, metadata: {} };
}

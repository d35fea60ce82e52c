/** A missing or older observation tile before the end is 503, never an empty or a shortened page. */
import { expect, it } from "vitest";
import { observationTileKey } from "../../src/resources/observations/route.ts";
import { receipt } from "../ledger/samples.ts";
import { Scene } from "./scene.ts";

const cursor = (position: number) => Buffer.from(String(position)).toString("base64url");
const page = (after: number, limit = 100) =>
  `/v1/public/installations/wheel-1/observations?limit=${limit}${after === 0 ? "" : `&cursor=${cursor(after)}`}`;

/** 300 receipts in three tiles, one of which was deleted. */
async function without(scene: Scene, tile: number): Promise<void> {
  await scene.ingest(Array.from({ length: 300 }, (_, index) => receipt(index + 1)));
  await scene.published(1000);
  expect((await scene.read(page(100), 1000)).body.items).toHaveLength(100);
  await scene.store.delete(observationTileKey("wheel-1", tile));
}

it.each([
  ["the tile in which a page starts", 0, page(0)],
  ["the same for a page in the middle", 1, page(150)],
  ["the second tile of a page", 1, page(100)],
  ["the tile after a page that ends with its tile", 1, page(100, 28)],
  ["the newest tile", 2, page(256)],
  ["the newest tile as the second one of a page", 2, page(200)],
])("%s is missing: 503", async (_, tile, url) => {
  await using scene = new Scene();
  await without(scene, tile);
  const { status, body } = await scene.read(url, 1000);
  expect([status, body]).toEqual([503, { error: "store_unavailable" }]);
});

it("with two missing tiles the items before them are served, and the rest is 503, not empty", async () => {
  await using scene = new Scene();
  await without(scene, 0);
  await scene.store.delete(observationTileKey("wheel-1", 1));
  expect((await scene.read(page(0), 1000)).status).toBe(503);
  expect((await scene.read(page(200), 1000)).status).toBe(503);
  expect((await scene.read(page(256), 1000)).body.items).toHaveLength(44);
});

it.each([
  ["the tile in which a page starts", page(50)],
  ["a tile that ends where the page starts", page(100)],
  ["a page beyond the end of its tile", page(110)],
])("%s is older than the telemetry: 503, until a check rewrites it", async (_, url) => {
  await using scene = new Scene();
  const receipts = Array.from({ length: 300 }, (_, index) => receipt(index + 1));
  await scene.ingest(receipts.slice(0, 100));
  await scene.published(400);
  const key = observationTileKey("wheel-1", 0);
  const older = await scene.object(key);
  await scene.ingest(receipts.slice(100));
  await scene.published(1000);
  await scene.putBack(key, older);
  const { status, body } = await scene.read(url, 1000);
  expect([status, body]).toEqual([503, { error: "store_unavailable" }]);
  await scene.published(1001, "--force");
  expect((await scene.read(url, 1001)).body.items).toHaveLength(100);
});

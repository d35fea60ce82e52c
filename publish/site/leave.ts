/** Objects of the site that nobody needs any more (docs/spec/people.md#files). */
import { ASSETS_PREFIX, docsFile, pageFile, SITE_PREFIX } from "../../src/resources/site/route.ts";
import type { PutTarget } from "../puts/put-target.ts";
import type { Published } from "../state/published.ts";

type Target = Pick<PutTarget, "store" | "fence">;

/** An asset stays for so long after no page names it: a reader may still have the page that did. */
export const ASSET_KEPT_MS = 30 * 86_400_000;

/** With the site turned off: everything, once. Listed, because a lost state does not say what there is. */
export async function removeSite({ store, fence }: Target, published: Published): Promise<void> {
  if (published.meta("site") === "off") return;
  for await (const key of store.list(SITE_PREFIX)) {
    await fence.beforePut();
    await store.delete(key);
    published.forget(key);
  }
  published.setMeta("assets", "{}");
  published.setMeta("site", "off");
}

/**
 * After the page was put, which an upgrade does, the store is asked once which assets there are and which the pages
 * name that stand there; the others are dated, and deleted when their time has come. `at` in epoch ms.
 */
export async function sweepAssets(target: Target, published: Published, at: number): Promise<void> {
  if (isDated(published)) return deleteOld(target, published, at);
  const { store } = target;
  let pages = "";
  for (const { key } of [...pageFile.objects, ...docsFile.objects]) {
    const page = await store.get(key, { fresh: true });
    if (page !== undefined) pages += new TextDecoder().decode(page.body);
  }
  const before = unnamedSince(published);
  const unnamed: Record<string, number> = {};
  for await (const key of store.list(ASSETS_PREFIX)) {
    if (!pages.includes(key.slice(SITE_PREFIX.length))) unnamed[key] = before[key] ?? at;
  }
  published.setMeta("assets", JSON.stringify(unnamed));
  published.setMeta("site", datedBy(published));
  await deleteOld(target, published, at);
}

async function deleteOld({ store, fence }: Target, published: Published, at: number): Promise<void> {
  const unnamed = unnamedSince(published);
  const old = Object.keys(unnamed).filter((key) => at - (unnamed[key] ?? at) >= ASSET_KEPT_MS);
  if (old.length === 0) return;
  for (const key of old) {
    await fence.beforePut();
    await store.delete(key);
    delete unnamed[key];
  }
  published.setMeta("assets", JSON.stringify(unnamed));
}

function unnamedSince(published: Published): Record<string, number> {
  return JSON.parse(published.meta("assets") ?? "{}") as Record<string, number>;
}

/** Whether the assets have been dated since the pages were put that stand now. */
function isDated(published: Published): boolean {
  return published.meta("site") === datedBy(published);
}

function datedBy(published: Published): string {
  return [...pageFile.objects, ...docsFile.objects].map(({ key }) => published.get(key)?.etag ?? "").join(" ");
}

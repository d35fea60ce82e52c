import { expect, test } from "vitest";
import { Recent } from "../../src/shim/recent.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { putText } from "../support/publish-answer.ts";

/** A store whose reads end on request, with the object from their beginning. */
async function slowStore() {
  const store = new MemoryStore();
  const releases: (() => void)[] = [];
  const get = async (key: string) => {
    const object = await store.get(key);
    await new Promise<void>((resolve) => releases.push(resolve));
    return object;
  };
  const begun = () => new Promise((resolve) => setImmediate(resolve));
  return { store, get, release: (read: number) => releases[read]?.(), begun };
}

const text = (object: { readonly body: Uint8Array } | undefined) => new TextDecoder().decode(object?.body);

test("a slow read does not take the place of one that began after it", async () => {
  const { store, get, release, begun } = await slowStore();
  const recent = new Recent({ get }, () => 0);
  await putText(store, "index", "older");
  const slow = recent.get("index");
  await begun();
  await putText(store, "index", "newer");
  const quick = recent.get("index");
  await begun();
  release(1);
  expect(text(await quick)).toBe("newer");
  release(0);
  expect(text(await slow)).toBe("newer");
  expect(text(await recent.get("index"))).toBe("newer");
});

test("nor does one that found nothing, or what is gone since", async () => {
  const { store, get, release, begun } = await slowStore();
  const recent = new Recent({ get }, () => 0);
  const absent = recent.get("index");
  await begun();
  await putText(store, "index", "first");
  const present = recent.get("index");
  await begun();
  release(1);
  await present;
  release(0);
  expect(text(await absent)).toBe("first");
});

/** From page to page until there is no next one. */
import { throwIfAborted } from "../exchange/abort.ts";
import { NoonmarkError } from "../noonmark-error.ts";

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/**
 * Items in the order of their pages. What arrives while the walk is going on is in it where its page comes later.
 * Throws `invalid_answer` for what is no page, and for a cursor that comes a second time or with an empty page: the walk
 * would never end.
 */
export async function* walk<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  first: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<unknown>([first]);
  for (let cursor = first; ; ) {
    const { items, nextCursor } = await read(cursor);
    if (!Array.isArray(items) || (nextCursor !== null && typeof nextCursor !== "string")) throw invalid("is no page");
    for (const item of items as readonly Item[]) {
      throwIfAborted(signal);
      yield item;
    }
    throwIfAborted(signal);
    if (nextCursor === null) return;
    if (items.length === 0) throw invalid("is empty with a next cursor");
    if (seen.has(nextCursor)) throw invalid("repeats a cursor");
    seen.add(nextCursor);
    cursor = nextCursor;
  }
}

function invalid(what: string): NoonmarkError {
  return new NoonmarkError("invalid_answer", `the answer ${what}`, { status: 200 });
}

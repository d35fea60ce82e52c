/**
 * The edits that turn one JSON text into another (docs/spec/publishing.md#future): token by token where both have the
 * same shape, which a change by time alone nearly always leaves as it was; else one edit between what is common at
 * both ends. Offsets and lengths are bytes of UTF-8.
 */
import type { Edit } from "../../src/http/successor.ts";

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^{}[\],:"\s]+/g;

export function byteEdits(before: string, after: string): Edit[] {
  if (before === after) return [];
  const old = before.match(TOKEN) ?? [];
  const now = after.match(TOKEN) ?? [];
  const sameShape = old.length === now.length && old.join("") === before && now.join("") === after;
  return sameShape ? tokenEdits(old, now) : [middleEdit(before, after)];
}

function tokenEdits(old: readonly string[], now: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  let offset = 0;
  for (const [index, token] of old.entries()) {
    const length = Buffer.byteLength(token);
    const text = now[index] ?? "";
    if (text !== token) edits.push({ offset, length, text });
    offset += length;
  }
  return edits;
}

function middleEdit(before: string, after: string): Edit {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  if (isHighSurrogate(before, head - 1)) head--;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  if (isHighSurrogate(before, before.length - tail - 1)) tail--;
  return {
    offset: Buffer.byteLength(before.slice(0, head)),
    length: Buffer.byteLength(before.slice(head, before.length - tail)),
    text: after.slice(head, after.length - tail),
  };
}

/** An edit must not begin or end inside a surrogate pair: half of one has no bytes. */
function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}

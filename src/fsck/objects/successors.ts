/** The scheduled versions of an answer (docs/spec/publishing.md#future): in order, within the body, good in themselves. */
import * as z from "zod";
import { applyEdits, type Edit, MAX_SUCCESSORS, type Successor } from "../../http/successor.ts";
import type { StoredObject } from "../../object-store/object-store.ts";

const instant = z.number().int().positive();
const edit = z.strictObject({ offset: z.number().int(), length: z.number().int(), text: z.string() });
const successor = z.strictObject({
  from: instant,
  headers: z.record(z.string(), z.string().nullable()).optional(),
  edits: z.array(edit).optional(),
  key: z.string().min(1).optional(),
});
const successorsSchema = z.array(successor).min(1).max(MAX_SUCCESSORS);

/** What they are, or what is wrong with them as data. */
export function successorsOf({ metadata, body }: StoredObject): readonly Successor[] | string {
  const { successors, "valid-until": until } = metadata;
  if (successors === undefined) return until === undefined ? [] : "valid-until stands without scheduled versions";
  let list: readonly Successor[];
  try {
    const parsed = successorsSchema.safeParse(JSON.parse(successors));
    const issue = parsed.error?.issues[0];
    if (issue !== undefined) return `${issue.path.join(".")}: ${issue.message}`;
    list = parsed.data as Successor[];
  } catch {
    return "they are no JSON";
  }
  if (String(list[0]?.from) !== until) return `valid-until is ${until}, the first instant ${list[0]?.from}`;
  const isAscending = list.every(({ from }, index) => index === 0 || from > (list[index - 1]?.from ?? 0));
  if (!isAscending) return "their instants do not ascend";
  return list.map(({ edits = [] }) => editsComplaint(edits, body)).find((complaint) => complaint) ?? list;
}

/** The body and the headers of a version; its own bytes are those of the answer where it has no edits. */
export function versionOf(object: StoredObject, headers: Readonly<Record<string, string>>, version: Successor) {
  const changed = { ...headers, ...version.headers };
  const kept = Object.entries(changed).filter((entry): entry is [string, string] => entry[1] !== null);
  return { body: applyEdits(object.body, version.edits ?? []), headers: Object.fromEntries(kept) };
}

function editsComplaint(edits: readonly Edit[], body: Uint8Array): string | undefined {
  let end = 0;
  for (const { offset, length } of edits) {
    if (offset < end || length < 0) return `an edit at ${offset} lies before the one before it ends`;
    end = offset + length;
    if (end > body.length) return `an edit ends at ${end}, the body at ${body.length}`;
  }
  return undefined;
}

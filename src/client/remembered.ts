/** The last answer of each conditional address, so that an unchanged one costs no second body. */

export interface RememberedAnswer {
  readonly etag: string;
  readonly body: unknown;
}

/** All the queries of the conditional routes are twelve; a caller's mistakes do not grow it. */
const CAPACITY = 16;

export type Remembered = Map<string, RememberedAnswer>;

/** The newest is the last; beyond the capacity the oldest is dropped. */
export function remember(remembered: Remembered, target: string, answer: RememberedAnswer): void {
  remembered.delete(target);
  remembered.set(target, answer);
  for (const oldest of remembered.keys()) if (remembered.size > CAPACITY) remembered.delete(oldest);
}

/** True if two tags name one body: a CDN that compresses makes a tag weak. */
export function isSameTag(one: string | null, other: string | undefined): boolean {
  return one !== null && one.replace(/^W\//, "") === other?.replace(/^W\//, "");
}

/** The last answer of each conditional address, so that an unchanged one costs no second body. */

export interface RememberedAnswer {
  readonly etag: string;
  readonly body: unknown;
}

/** All the queries of the conditional routes are twelve; a caller's mistakes do not grow it. */
const CAPACITY = 16;

export class Remembered {
  readonly #answers = new Map<string, RememberedAnswer>();

  get(target: string): RememberedAnswer | undefined {
    return this.#answers.get(target);
  }

  set(target: string, answer: RememberedAnswer): void {
    this.#answers.delete(target);
    this.#answers.set(target, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > CAPACITY && oldest !== undefined) this.#answers.delete(oldest);
  }
}

/** Whether two tags name one body: a CDN that compresses makes a tag weak. */
export function isSameTag(one: string | null, other: string | undefined): boolean {
  return one !== null && one.replace(/^W\//, "") === other?.replace(/^W\//, "");
}

/** Runs `work` for each item, at most `limit` at once. Throws the first failure after the running ones have ended. */
export async function eachLimited<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const failures: unknown[] = [];
  let isOver = false;
  const worker = async () => {
    while (!isOver) {
      const next = iterator.next();
      if (next.done === true) {
        isOver = true;
        return;
      }
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
        isOver = true;
      }
    }
  };
  // Most calls have a few items only.
  const workers: Promise<void>[] = [];
  while (workers.length < limit && !isOver) workers.push(worker());
  await Promise.all(workers);
  if (failures.length > 0) throw failures[0];
}

/** Runs pieces of work one after the other, in the order of the calls. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Returns what `work` returns, and throws what it throws. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/** Runs `work` for each item, at most `limit` at once. Throws the first failure after the running ones have ended. */
export async function eachLimited<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const all = [...items];
  const iterator = all[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async () => {
    for (let next = iterator.next(); !next.done && failures.length === 0; next = iterator.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, all.length) }, worker));
  if (failures.length > 0) throw failures[0];
}

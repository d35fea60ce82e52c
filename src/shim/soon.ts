/** A value, or a promise of it. A value in memory is served in its request's own tick. */
export type Soon<T> = T | Promise<T>;

/** Calls `next` with a value, synchronously if the value is there; it then throws what `next` throws. */
export function soon<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

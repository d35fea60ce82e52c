/** A value, or a promise of it. A value in memory is served in its request's own tick. */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with a value, synchronously if the value is there; it then throws what `next` throws. */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

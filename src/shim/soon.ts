/** A value that is there already, or one that is waited for: what stands in memory is answered in its request's own turn. */
export type Soon<T> = T | Promise<T>;

/** `next` of a value, at once where it is there. What `next` throws then is thrown here. */
export function soon<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** A promise that fails with the first failure, whenever and wherever it comes. */
export interface Rejection {
  readonly promise: Promise<never>;
  reject(error: unknown): void;
  attempt(action: () => void): void;
}

export function rejection(): Rejection {
  const { promise, reject } = Promise.withResolvers<never>();
  return {
    promise,
    reject,
    attempt(action) {
      try {
        action();
      } catch (error) {
        reject(error);
      }
    },
  };
}

/** A promise's value, or `undefined` if it takes longer (ms). */
export async function within<Value>(
  ms: number,
  promise: Promise<Value>,
): Promise<{ readonly value: Value } | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise.then((value) => ({ value })), limit]);
  } finally {
    clearTimeout(timer);
  }
}

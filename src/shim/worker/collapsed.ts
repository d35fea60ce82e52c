/** How long one request waits for what another has asked (ms): on workerd that other may have been cancelled for good. */
const PATIENCE_MS = 250;

/**
 * Reads of one key that meet share one, however long it takes: for caches, whose readers take an answer that is a
 * moment old. A read that fails fails for all who share it, and for nobody after.
 */
export function collapsed<Value>(read: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const running = new Map<string, Promise<Value>>();

  return async (key) => {
    const other = running.get(key);
    if (other === undefined) return start(key);
    const shared = await within(PATIENCE_MS, other);
    return shared === undefined ? start(key) : shared.value;
  };

  function start(key: string): Promise<Value> {
    const own = read(key).finally(() => {
      if (running.get(key) === own) running.delete(key);
    });
    running.set(key, own);
    return own;
  }
}

/** `undefined` where it takes longer. */
async function within<Value>(ms: number, promise: Promise<Value>): Promise<{ readonly value: Value } | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise.then((value) => ({ value })), patience]);
  } finally {
    clearTimeout(timer);
  }
}

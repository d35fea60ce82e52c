/** How long one request waits for the read of another (ms): on workerd that other may have been cancelled for good. */
const PATIENCE_MS = 250;

/**
 * Simultaneous reads of one key share one, however long it takes. This is for caches, whose readers accept a response that is
 * a moment old. A failed read fails for all who share it, and for nobody after.
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

/** `undefined` if it takes longer. */
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

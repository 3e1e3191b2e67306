class SlowStoreError extends Error {
  override readonly name = "SlowStoreError";
}

/**
 * Waits for an answer. When the time is over, what has arrived by then is read first: a process that was held up must not take
 * the store for slow.
 */
export async function inTime<Answer>(work: Promise<Answer>, timeoutMs: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      setImmediate(() => {
        reject(new SlowStoreError(`No answer within ${String(timeoutMs)} ms.`));
      });
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

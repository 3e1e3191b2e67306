const SECOND_MS = 1_000;

/**
 * Makes the value of the header `Date`, in its only form that is to be written (RFC 9110, 5.6.7). The text of a second is made
 * once, for all answers within it.
 */
export function createHttpDate(nowMs: () => number): () => string {
  let text = "";
  let secondMs = Number.NaN;
  return () => {
    const now = nowMs();
    // Also for a clock that is set back, and for the first call.
    if (!(now >= secondMs && now < secondMs + SECOND_MS)) {
      secondMs = Math.floor(now / SECOND_MS) * SECOND_MS;
      text = new Date(secondMs).toUTCString();
    }
    return text;
  };
}

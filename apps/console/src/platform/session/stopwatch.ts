type Clock = { now(): number };

/**
 * Counts milliseconds that only ever grow, also while the device sleeps: the steady clock stops then in most browsers, and
 * the wall clock may be set back at any time. Of each stretch it counts the longer one, so that it is early rather than late.
 */
export function createStopwatch(steady: Clock, wall: Clock): () => number {
  let elapsedMs = 0;
  let steadyMs = steady.now();
  let wallMs = wall.now();
  return () => {
    const [steadyNowMs, wallNowMs] = [steady.now(), wall.now()];
    elapsedMs += Math.max(0, steadyNowMs - steadyMs, wallNowMs - wallMs);
    steadyMs = steadyNowMs;
    wallMs = wallNowMs;
    return elapsedMs;
  };
}

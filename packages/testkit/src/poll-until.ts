import { setTimeout as delay } from "node:timers/promises";

const INTERVAL_MS = 20;
const DEADLINE_MS = 120_000;

/**
 * Asks again until the answer is neither `undefined` nor `false`, and returns it.
 *
 * @param what - Names the wait in the error.
 * @throws After `deadlineMs` (default 120,000), generous because a noisy machine is slow, not wrong.
 */
export async function pollUntil<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) {
      return answer;
    }
    if (performance.now() > end) {
      throw new Error(`Waited ${deadlineMs} ms in vain: ${what}.`);
    }
    await delay(INTERVAL_MS);
  }
}

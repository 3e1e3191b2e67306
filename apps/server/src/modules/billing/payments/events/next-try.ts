const MINUTE_MS = 60_000;
const FIRST_MS = 15 * MINUTE_MS;
const LONGEST_MS = 6 * 60 * MINUTE_MS;
const GIVEN_UP_MS = 24 * 60 * MINUTE_MS;
/** The job of an event makes so many tries in a row; then it waits. */
const TRIES_IN_A_ROW = 4;
/** After about a day and a half. What fails by then fails for a reason that time alone does not fix. */
const TRIES_MAX = 40;

/** True for an event that is tried once a day only: a new version of the product, or a person, may have fixed what was wrong. */
export function isGivenUp(tries: number): boolean {
  return tries >= TRIES_MAX;
}

/** When an event is taken up again that its job could not apply: after a quarter of an hour, then each time twice as long. */
export function nextTry(now: Date, tries: number): Date {
  const round = Math.min(Math.floor(tries / TRIES_IN_A_ROW), 10);
  const waitMs = isGivenUp(tries) ? GIVEN_UP_MS : Math.min(FIRST_MS * 2 ** round, LONGEST_MS);
  return new Date(now.getTime() + waitMs);
}

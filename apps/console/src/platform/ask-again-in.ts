/**
 * A refetchInterval that repeats a query once it has had an answer. A query that failed without one counts as loading each time it is
 * repeated, so its error would come and go; it waits until the person tries again.
 *
 * @param intervalMs - False never repeats it.
 */
export function askAgainIn(intervalMs: number | false) {
  return ({ state }: { state: { data: unknown; status: string } }): number | false =>
    state.status === "error" && state.data === undefined ? false : intervalMs;
}

/**
 * Asks again by itself while there is an answer. What has failed without one waits until a person tries again: asked for anew,
 * it counts as loading, so that its failure would come and go.
 *
 * @param intervalMs - False asks never.
 */
export function askAgainIn(intervalMs: number | false) {
  return ({ state }: { state: { data: unknown; status: string } }): number | false =>
    state.status === "error" && state.data === undefined ? false : intervalMs;
}

import type { AttemptRow } from "./attempts.store.ts";

/** True for an attempt that would be another one if it began now: another amount is due, or there is another way to pay. */
export function isOutdated({
  due,
  amount,
  methodRef,
  methodInForce,
}: Pick<AttemptRow, "due" | "amount" | "methodRef" | "methodInForce">): boolean {
  return due !== amount || methodRef !== methodInForce;
}

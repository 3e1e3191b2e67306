import type { UseMutateAsyncFunction, UseMutateFunction } from "@tanstack/react-query";
import { useRef } from "react";

/**
 * When a form may be sent again: once it `failed`, for a form that goes away when it has done its work, even while it
 * still fades; once it has `settled` either way, for one that stays.
 */
export type SubmitAgain = "failed" | "settled";

/**
 * Sends at most one request at a time, however fast the button is pressed. `isPending` is not enough: it is known a render
 * later, and the second press of a double click comes before.
 *
 * @param mutateAsync - Of the mutation that sends. What it fails with is in the mutation's `error`.
 * @returns Stands in for `mutate`; does nothing while a request is on its way.
 */
export function useSubmitOnce<Data, Variables>(
  mutateAsync: UseMutateAsyncFunction<Data, Error, Variables>,
  again: SubmitAgain,
): UseMutateFunction<Data, Error, Variables> {
  const isHeld = useRef(false);
  return (...input) => {
    if (isHeld.current) {
      return;
    }
    isHeld.current = true;
    mutateAsync(...input).then(
      () => {
        isHeld.current = again === "failed";
      },
      () => {
        isHeld.current = false;
      },
    );
  };
}

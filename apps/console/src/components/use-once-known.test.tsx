// @vitest-environment jsdom
import { renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { useOnceKnown } from "./use-once-known.ts";

it("waits for the first answer of each, and hides nothing when one is asked anew", () => {
  const { result, rerender } = renderHook(
    (pending: readonly boolean[]) => useOnceKnown(pending.map((isPending) => ({ isPending }))),
    { initialProps: [true, true] },
  );
  expect(result.current).toBe(false);
  rerender([false, true]);
  expect(result.current).toBe(false);
  rerender([false, false]);
  expect(result.current).toBe(true);
  rerender([true, false]);
  expect(result.current).toBe(true);
});

import { describe, expect, it } from "vitest";
import { createSharedPermitsMemory, freePermitsOf, openSharedPermits } from "./shared-permits.ts";

describe("permits that threads share", () => {
  it("are so many over all threads, by kind, and come back from a thread that has ended", () => {
    const memory = createSharedPermitsMemory(2, 3);
    const open = (kind: number, holder: number) =>
      openSharedPermits(memory, { kind, holder, max: 3 });
    const [first, second, third] = [open(0, 1), open(0, 2), open(0, 3)];
    expect([first, second, third, first].map((permits) => permits.tryTake())).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(open(1, 1).tryTake()).toBe(true);
    second.giveBack();
    expect(third.tryTake()).toBe(true);
    expect(first.tryTake()).toBe(false);
    freePermitsOf(memory, 3);
    expect([first, first, first].map((permits) => permits.tryTake())).toEqual([true, true, false]);
  });
});

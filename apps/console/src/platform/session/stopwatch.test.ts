import { describe, expect, it } from "vitest";
import { createStopwatch } from "./stopwatch.ts";

function start() {
  const clocks = { steady: 500, wall: 1_000_000 };
  const nowMs = createStopwatch({ now: () => clocks.steady }, { now: () => clocks.wall });
  const advance = (steadyMs: number, wallMs: number): number => {
    clocks.steady += steadyMs;
    clocks.wall += wallMs;
    return nowMs();
  };
  return { advance };
}

describe("the stopwatch of a session", () => {
  it("counts a sleep, during which the steady clock stops", () => {
    const { advance } = start();
    expect(advance(60_000, 60_000)).toBe(60_000);
    expect(advance(0, 3_600_000)).toBe(3_660_000);
  });

  it("goes on when the wall clock is set back", () => {
    const { advance } = start();
    expect(advance(1_000, -7_200_000)).toBe(1_000);
    expect(advance(1_000, 1_000)).toBe(2_000);
  });

  it("never goes back, also when both of them do", () => {
    const { advance } = start();
    expect(advance(-5, -5)).toBe(0);
    expect(advance(5, 5)).toBe(5);
  });
});

import { expect, it } from "vitest";
import { createLine, type LineKind } from "../rating/line.ts";
import { usageRevenueOf } from "./usage-revenue.ts";

const line = (kind: LineKind, amount: bigint, discount = 0n) =>
  createLine({
    kind,
    amount,
    discount,
    owner: undefined,
    span: undefined,
    quantity: undefined,
    taxClass: "standard",
  });
const LINES = [
  line("base", 5_000n),
  line("usage", 2_000n, 500n),
  line("late", 300n),
  line("commitment", 200n),
  line("beyondCap", 0n),
  line("discount", -500n),
];

it("is usage, late usage and minimums, less what was taken off them", () => {
  expect(usageRevenueOf({ lines: LINES, net: 7_000n })).toBe(2_000n);
  expect(usageRevenueOf({ lines: [line("base", 100n)], net: 100n })).toBe(0n);
  expect(usageRevenueOf({ lines: [], net: 0n })).toBe(0n);
});

it("is before the tax that prices include: its part of the net", () => {
  // 70.00 gross at 19 % is 58.82 net.
  expect(usageRevenueOf({ lines: LINES, net: 5_882n })).toBe(1_681n);
});

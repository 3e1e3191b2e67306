import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flowFrom, movementKind, ratesOf } from "./movements.ts";

/** Recurring revenue of a customer at instants, in order. */
const history = fc.array(fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 10_000n })), {
  minLength: 2,
  maxLength: 8,
});

function listGroups(customers: readonly (readonly bigint[])[], from: number, to: number) {
  return customers.flatMap((amounts) => {
    const before = amounts[from] ?? 0n;
    const after = amounts[to] ?? 0n;
    const hadBefore = amounts.slice(0, from + 1).some((amount) => amount > 0n);
    const kind = movementKind({ before, after, hadBefore });
    return kind === undefined ? [] : [{ kind, change: after - before, customers: 1 }];
  });
}

function openingOf(customers: readonly (readonly bigint[])[], at: number) {
  const amounts = customers.map((of) => of[at] ?? 0n);
  return {
    amount: amounts.reduce((sum, amount) => sum + amount, 0n),
    customers: amounts.filter((amount) => amount > 0n).length,
  };
}

describe("movements of recurring revenue", () => {
  it("lead from what was there to what is there, in money and in customers, however time is cut", () => {
    fc.assert(
      fc.property(
        fc.array(history, { maxLength: 12 }),
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 1, max: 3 }),
        (customers, from, length) => {
          const to = from + length;
          const flow = flowFrom(openingOf(customers, from), listGroups(customers, from, to));
          const closing = openingOf(customers, to);
          expect(flow.closingAmount).toBe(closing.amount);
          expect(flow.closingCustomers).toBe(closing.customers);
          const { netRetention, grossRetention } = ratesOf(flow);
          expect((grossRetention ?? 0n) <= 10_000n).toBe(true);
          expect((grossRetention ?? 0n) <= (netRetention ?? 0n)).toBe(true);
          expect(netRetention === undefined).toBe(openingOf(customers, from).amount === 0n);
        },
      ),
    );
  });

  it.each([
    [0n, 5n, false, "new"],
    [0n, 5n, true, "reactivated"],
    [5n, 0n, true, "churned"],
    [5n, 7n, true, "expansion"],
    [5n, 3n, true, "contraction"],
    [5n, 5n, true, undefined],
    [0n, 0n, true, undefined],
  ] as const)("from %i to %i, had some before: %s, is %s", (before, after, hadBefore, kind) => {
    expect(movementKind({ before, after, hadBefore })).toBe(kind);
  });

  it("give the rates of a worked example, without those who came", () => {
    const flow = flowFrom({ amount: 100_000n, customers: 20 }, [
      { kind: "new", change: 9_000n, customers: 3 },
      { kind: "expansion", change: 12_000n, customers: 4 },
      { kind: "contraction", change: -3_000n, customers: 1 },
      { kind: "churned", change: -7_000n, customers: 2 },
      { kind: "reactivated", change: 1_000n, customers: 1 },
    ]);
    expect(flow).toMatchObject({ closingAmount: 112_000n, closingCustomers: 22 });
    expect(ratesOf(flow)).toEqual({
      customerChurn: 1_000n,
      revenueChurn: 1_000n,
      netRetention: 10_200n,
      grossRetention: 9_000n,
    });
  });
});

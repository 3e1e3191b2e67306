import fc from "fast-check";
import { expect, it } from "vitest";
import { createVerdictOrder } from "./verdict-order.ts";

it("never takes a verdict for the newest of its key that is not, also when it has forgotten some", () => {
  const verdict = fc.record({
    key: fc.constantFrom("a", "b", "c", "d", "e"),
    askedAtMs: fc.integer({ min: 0, max: 20 }),
  });
  fc.assert(
    fc.property(
      fc.array(verdict, { maxLength: 60 }),
      fc.integer({ min: 0, max: 6 }),
      (verdicts, entriesMax) => {
        const order = createVerdictOrder({ entriesMax });
        const heard = new Map<string, number>();
        for (const { key, askedAtMs } of verdicts) {
          const newestMs = heard.get(key) ?? 0;
          const isTaken = order.advance(key, askedAtMs);
          expect(order.size()).toBeLessThanOrEqual(entriesMax);
          if (isTaken) {
            expect(askedAtMs).toBeGreaterThanOrEqual(newestMs);
          } else if (entriesMax >= 5) {
            expect(askedAtMs).toBeLessThan(newestMs);
          }
          heard.set(key, Math.max(newestMs, askedAtMs));
        }
      },
    ),
  );
});

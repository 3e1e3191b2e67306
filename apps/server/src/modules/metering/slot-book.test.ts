import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SlotBook } from "./slot-book.ts";

type Fact = { keyId: string; route: string; calls: number };

describe("a slot book", () => {
  it("sums as a map by the whole slot would, in the order in which the slots came", () => {
    const anyFact = fc.record({
      keyId: fc.constantFrom("a", "b", "c"),
      route: fc.constantFrom("", "/", "/x", "|", "/x|"),
      calls: fc.integer({ min: 0, max: 5 }),
    });
    fc.assert(
      fc.property(fc.array(anyFact), (facts) => {
        const book = new SlotBook<Fact, Fact>({
          ownerOf: (fact) => fact.keyId,
          isOf: (sum, fact) => sum.route === fact.route,
          nameOf: (of) => of.route,
          start: (fact) => ({ ...fact, calls: 0 }),
        });
        const expected = new Map<string, Fact>();
        for (const fact of facts) {
          book.find(fact).calls += fact.calls;
          const slot = JSON.stringify([fact.keyId, fact.route]);
          const sum = expected.get(slot) ?? { ...fact, calls: 0 };
          expected.set(slot, { ...sum, calls: sum.calls + fact.calls });
        }
        expect(book.sums).toEqual([...expected.values()]);
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SumRegistry } from "./sum-registry.ts";

type Fact = { keyId: string; route: string; calls: number };

describe("SumRegistry", () => {
  it("sums like a map by the whole name, in the order in which the names came", () => {
    const anyFact = fc.record({
      keyId: fc.constantFrom("a", "b", "c"),
      route: fc.constantFrom("", "/", "/x", "|", "/x|"),
      calls: fc.integer({ min: 0, max: 5 }),
    });
    fc.assert(
      fc.property(fc.array(anyFact), (facts) => {
        const registry = new SumRegistry<Fact, Fact>({
          ownerOf: (fact) => fact.keyId,
          isOf: (sum, fact) => sum.route === fact.route,
          nameOf: (of) => of.route,
          start: (fact) => ({ ...fact, calls: 0 }),
        });
        const expected = new Map<string, Fact>();
        for (const fact of facts) {
          registry.find(fact).calls += fact.calls;
          const name = JSON.stringify([fact.keyId, fact.route]);
          const sum = expected.get(name) ?? { ...fact, calls: 0 };
          expected.set(name, { ...sum, calls: sum.calls + fact.calls });
        }
        expect(registry.sums).toEqual([...expected.values()]);
      }),
    );
  });
});

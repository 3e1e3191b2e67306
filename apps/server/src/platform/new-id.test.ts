import { randomFillSync } from "node:crypto";
import { isId } from "@turnpike/domain/ids/ids";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNewId, newUuidId } from "./new-id.ts";

const UUID_V7 = /^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/;

function bodyOf(id: string): string {
  return id.slice(id.indexOf("_") + 1);
}

describe("newUuidId", () => {
  it("mints UUIDv7 of this moment behind the prefix of its kind", () => {
    const before = Date.now();
    const id = newUuidId("tenant");
    expect(isId("tenant", id)).toBe(true);
    expect(bodyOf(id)).toMatch(UUID_V7);
    const stampMs = Number.parseInt(bodyOf(id).slice(0, 12), 16);
    expect(stampMs).toBeGreaterThanOrEqual(before);
    // A burst of more than 2,048 ids in a millisecond lets the timestamp run ahead.
    expect(stampMs).toBeLessThanOrEqual(Date.now() + 100);
  });

  it("never mints the same id twice, over many refills of its pool", () => {
    const ids = Array.from({ length: 100_000 }, () => newUuidId("request"));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("createNewId", () => {
  it("mints ascending ids of the right form, also when the clock jumps", () => {
    const clockMs = fc.integer({ min: 0, max: 2 ** 48 - 10_000 });
    fc.assert(
      fc.property(fc.array(clockMs, { minLength: 1, maxLength: 50 }), (times) => {
        let at = 0;
        const newId = createNewId({
          nowMs: () => times[Math.floor(at++ / 200) % times.length] ?? 0,
          fill: randomFillSync,
        });
        const ids = Array.from({ length: times.length * 200 }, () => newId("key"));
        expect(ids.every((id) => UUID_V7.test(bodyOf(id)))).toBe(true);
        expect(ids.toSorted()).toEqual(ids);
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns: 20 },
    );
  });

  it("goes on ascending when a millisecond has more ids than its counter counts", () => {
    const newId = createNewId({ nowMs: () => 1_700_000_000_000, fill: randomFillSync });
    const ids = Array.from({ length: 20_000 }, () => newId("group"));
    expect(ids.toSorted()).toEqual(ids);
    const lastMs = Number.parseInt(bodyOf(ids.at(-1) ?? "").slice(0, 12), 16);
    expect(lastMs).toBeLessThanOrEqual(1_700_000_000_000 + 20_000 / 2_048 + 1);
  });

  it("draws 62 fresh random bits for every id", () => {
    const newId = createNewId({ nowMs: () => 1, fill: randomFillSync });
    const tails = Array.from({ length: 5_000 }, () => bodyOf(newId("file")).slice(17));
    expect(new Set(tails).size).toBe(tails.length);
  });
});

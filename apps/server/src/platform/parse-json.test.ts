import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JSON_BOUNDS, type PortionBounds, parseJson, parseJsonArray } from "./parse-json.ts";
import { findExceededBound } from "./scan-json.ts";

/** Levels and values by walking through what was parsed. */
function measure(value: unknown): { depth: number; values: number; names: number } {
  if (typeof value !== "object" || value === null) {
    return { depth: 0, values: 1, names: 0 };
  }
  const inner = Object.values(value).map(measure);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    // Brackets count one more than the elements, so that empty ones are not free.
    names:
      (Array.isArray(value) ? 0 : inner.length) + inner.reduce((sum, { names }) => sum + names, 0),
    values: 2 + inner.reduce((sum, { values }) => sum + values, 0) - (inner.length === 0 ? 0 : 1),
  };
}

const json = fc.json({ maxDepth: 6 });

async function parseInPortions(body: Buffer, bounds: PortionBounds) {
  const portions: unknown[] = [];
  for await (const portion of parseJsonArray(body, bounds)) {
    portions.push(portion);
  }
  return portions;
}

describe("counting before parsing", () => {
  it("finds the levels and values of any JSON", () => {
    fc.assert(
      fc.property(json, (text) => {
        const { depth, values, names } = measure(JSON.parse(text));
        const bytes = Buffer.from(text);
        const bounds = { depthMax: depth, valuesMax: values, namesMax: names };
        expect(findExceededBound(bytes, bounds)).toBeUndefined();
        if (names > 0) {
          expect(findExceededBound(bytes, { ...bounds, namesMax: names - 1 })).toBe("namesMax");
        }
        if (depth > 0) {
          expect(findExceededBound(bytes, { ...bounds, depthMax: depth - 1 })).toBe("depthMax");
          expect(findExceededBound(bytes, { ...bounds, valuesMax: values - 1 })).toBe("valuesMax");
        }
      }),
    );
  });

  it("takes no bracket, comma or quote inside a text for one of its own", () => {
    const bounds = { depthMax: 1, valuesMax: 2, namesMax: 0 };
    for (const text of ['"[[[,,,:::"', '"\\"[["', '"\\\\\\"[["', '"\\u005b\\u005b"']) {
      expect(findExceededBound(Buffer.from(`[${text}]`), bounds), text).toBeUndefined();
    }
    expect(findExceededBound(Buffer.from('["\\\\",[]]'), bounds)).toBe("valuesMax");
  });
});

describe("parseJson", () => {
  it("is JSON.parse for what is within the bounds", () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("refuses the same texts as JSON.parse, with one answer", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[]{},:"\\1-e.tnu \n') }), (text) => {
        let expected: unknown;
        let isJson = true;
        try {
          expected = JSON.parse(text);
        } catch {
          isJson = false;
        }
        if (isJson) {
          expect(parseJson(Buffer.from(text))).toEqual(expected);
        } else {
          expect(() => parseJson(Buffer.from(text))).toThrow("The body is not JSON.");
        }
      }),
    );
  });

  it("refuses a level and a value too many before the parser runs", () => {
    const nested = (levels: number) => Buffer.from("[".repeat(levels) + "]".repeat(levels));
    expect(parseJson(nested(JSON_BOUNDS.depthMax))).toBeDefined();
    expect(() => parseJson(nested(JSON_BOUNDS.depthMax + 1))).toThrow("at most 64 levels");
    // Unclosed, so that only the count can be what refuses it.
    expect(() => parseJson(Buffer.from("[".repeat(4_000_000)))).toThrow("at most 64 levels");
    const list = (count: number) => Buffer.from(`[${"1,".repeat(count - 1)}1]`);
    expect(parseJson(list(JSON_BOUNDS.valuesMax - 1))).toHaveLength(JSON_BOUNDS.valuesMax - 1);
    expect(() => parseJson(list(JSON_BOUNDS.valuesMax))).toThrow("at most 40000 JSON values");
  });

  it("refuses bytes that are no UTF-8, and reads on after a byte order mark", () => {
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow("The body is not JSON.");
    expect(parseJson(Buffer.from("\ufeff{}"))).toEqual({});
  });
});

describe("parseJsonArray", () => {
  const portionBounds = fc.record({
    bytes: fc.integer({ min: 1, max: 40 }),
    values: fc.integer({ min: 1, max: 12 }),
    elements: fc.integer({ min: 1, max: 5 }),
  });
  const spaces = fc.string({ unit: fc.constantFrom(" ", "\n", "\t"), maxLength: 2 });

  it("gives the elements of the whole, in order, in portions of any size", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(json), portionBounds, spaces, async (texts, bounds, space) => {
        const body = `${space}[${texts.join(`${space},`)}]${space}`;
        const portions = await parseInPortions(Buffer.from(body), bounds);
        expect(portions.flat(1)).toEqual(JSON.parse(body));
        for (const portion of portions) {
          expect((portion as unknown[]).length).toBeLessThanOrEqual(bounds.elements);
        }
      }),
    );
  });

  it("takes no text that JSON.parse refuses, wherever it is cut", async () => {
    const text = fc.string({ unit: fc.constantFrom(...'[]{},:"\\1 '), maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, portionBounds, async (inner, bounds) => {
        const body = `[${inner}]`;
        let expected: unknown;
        try {
          expected = JSON.parse(body);
        } catch {
          await expect(parseInPortions(Buffer.from(body), bounds)).rejects.toThrow("not JSON");
          return;
        }
        expect((await parseInPortions(Buffer.from(body), bounds)).flat(1)).toEqual(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it("reads an array after a byte order mark, and takes only the spaces of JSON around it", async () => {
    const bounds = { bytes: 10, values: 10, elements: 10 };
    expect(await parseInPortions(Buffer.from("\uFEFF[1]"), bounds)).toEqual([[1]]);
    for (const around of ["\0", "\u001a", "\f"]) {
      await expect(parseInPortions(Buffer.from(`[1]${around}`), bounds)).rejects.toThrow(
        "not JSON",
      );
    }
  });

  it("gives undefined for JSON that is no array, and refuses what is no JSON", async () => {
    const bounds = { bytes: 10, values: 10, elements: 10 };
    expect(await parseInPortions(Buffer.from('{"a":[1]}'), bounds)).toEqual([undefined]);
    await expect(parseInPortions(Buffer.from("{"), bounds)).rejects.toThrow("not JSON");
    await expect(parseInPortions(Buffer.from(""), bounds)).rejects.toThrow("not JSON");
  });

  it("refuses a deep element, one of many values, and many values altogether", async () => {
    const bounds = { bytes: 1_000, values: 1_000, elements: 10 };
    const deep = `[1,${"[".repeat(64)}${"]".repeat(64)}]`;
    await expect(parseInPortions(Buffer.from(deep), bounds)).rejects.toThrow("at most 64 levels");
    const wide = `[1,[${"1,".repeat(JSON_BOUNDS.valuesMax)}1]]`;
    await expect(parseInPortions(Buffer.from(wide), bounds)).rejects.toThrow("40000 JSON values");
    const many = `[${"{},".repeat(300_000)}{}]`;
    await expect(parseInPortions(Buffer.from(many), bounds)).rejects.toThrow("500000 JSON values");
  });
});

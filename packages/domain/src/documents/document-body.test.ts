import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DOCUMENT_BYTES_MAX, findBodyFault } from "./document-body.ts";

function nest(levels: number): Record<string, unknown> {
  let body: Record<string, unknown> = {};
  for (let level = 1; level < levels; level += 1) {
    body = { inner: body };
  }
  return body;
}

describe("findBodyFault", () => {
  it("accepts 32 levels and refuses 33, and 100,000 without exhausting the stack", () => {
    expect(findBodyFault(nest(32))).toBeUndefined();
    expect(findBodyFault(nest(33))).toMatch("levels");
    expect(findBodyFault(nest(100_000))).toMatch("levels");
  });

  it("counts bytes, not characters, and accepts exactly the limit", () => {
    const frame = JSON.stringify({ a: "" }).length;
    expect(findBodyFault({ a: "x".repeat(DOCUMENT_BYTES_MAX - frame) })).toBeUndefined();
    expect(findBodyFault({ a: "x".repeat(DOCUMENT_BYTES_MAX - frame + 1) })).toMatch("bytes");
    expect(findBodyFault({ a: "é".repeat(DOCUMENT_BYTES_MAX / 2) })).toMatch("bytes");
    expect(findBodyFault({ a: "😀".repeat((DOCUMENT_BYTES_MAX - frame) / 4 - 1) })).toBeUndefined();
  });

  it.each([
    ["a NUL in a text", { a: "\0" }],
    ["a NUL in a name", { "a\0": 1 }],
    ["half of a surrogate pair", { a: ["\ud800"] }],
    ["the name __proto__", JSON.parse('{"a":{"__proto__":{}}}')],
    ["a number that JSON cannot say", JSON.parse('{"a":1e400}')],
    ["what is not JSON", { a: undefined }],
  ])("refuses %s", (_why, body) => {
    expect(findBodyFault(body)).toBeDefined();
  });

  it("accepts every JSON object of ordinary size", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (body) => {
        const parsed: Record<string, unknown> = JSON.parse(JSON.stringify(body));
        const text = JSON.stringify(parsed);
        fc.pre(
          !text.includes("\\u0000") && !text.includes("__proto__") && !/\\ud[89a-f]/i.test(text),
        );
        expect(findBodyFault(parsed)).toBeUndefined();
      }),
    );
  });
});

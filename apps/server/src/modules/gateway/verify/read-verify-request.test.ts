import { verifyKeyRequest } from "@turnpike/contract/keys";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readVerifyRequest } from "./read-verify-request.ts";

function read(text: string): unknown {
  try {
    return readVerifyRequest(Buffer.from(text));
  } catch (error) {
    return error;
  }
}

const value = fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue());
const name = fc.oneof(
  fc.constantFrom("key", "cost", "meter", "Key", "__proto__", "constructor", "toString"),
  fc.string(),
);

describe("readVerifyRequest", () => {
  it("reads a key alone as the schema does, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (key) => {
        const text = JSON.stringify({ key });
        expect(read(text)).toEqual(verifyKeyRequest.parse(JSON.parse(text)));
      }),
    );
  });

  it("takes and refuses what the schema does, of any other shape", () => {
    const request = fc.oneof(fc.dictionary(name, value, { maxKeys: 3 }), fc.jsonValue());
    fc.assert(
      fc.property(request, (asked) => {
        const text = JSON.stringify(asked);
        const bySchema = verifyKeyRequest.safeParse(JSON.parse(text));
        expect(read(text)).toEqual(
          bySchema.success ? bySchema.data : expect.objectContaining({ code: "INVALID_REQUEST" }),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    '{"key":"a","key":"b"}',
    '{"__proto__":{"key":"a"}}',
    '{"key":"a","__proto__":{"cost":0}}',
    '{"key":null}',
    '{"key":["a"]}',
    '["key"]',
    '"key"',
    "{}",
    "null",
    "1",
  ])("takes %s as the schema does", (text) => {
    const bySchema = verifyKeyRequest.safeParse(JSON.parse(text));
    expect(read(text)).toEqual(
      bySchema.success ? bySchema.data : expect.objectContaining({ code: "INVALID_REQUEST" }),
    );
  });

  it("reads on after a byte order mark", () => {
    expect(read('\ufeff{"key":"a"}')).toEqual(read('{"key":"a"}'));
  });

  it.each(["", "{", "{'key':'a'}", '{"key":"a"}x', "\ufeff"])("refuses %j: not JSON", (text) => {
    expect(read(text)).toMatchObject({ code: "INVALID_REQUEST", message: "The body is not JSON." });
  });
});

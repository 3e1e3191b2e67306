import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeEventHeader, readBinaryAttributes } from "./read-binary-event.ts";

/** The encoding of the HTTP binding: everything outside printable ASCII, and spaces, quotes and percent signs, as %XX in UTF-8. */
function encode(text: string): string {
  return [...Buffer.from(text, "utf8")]
    .map((byte) =>
      byte <= 0x20 || byte >= 0x7f || byte === 0x22 || byte === 0x25
        ? `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
        : String.fromCharCode(byte),
    )
    .join("");
}

describe("decodeEventHeader", () => {
  it.each([
    ["Euro%20%E2%82%AC%20%F0%9F%98%80", "Euro € 😀"],
    ["%e2%82%ac", "€"],
    ["%41%2541", "A%41"],
    ['"quoted \\"text\\""', 'quoted "text"'],
    ["100%", "100%"],
    ["%C0%A0", undefined],
    ["%E2%82", undefined],
    // As the JavaScript SDK sends "café" (Latin-1), and as other programs do (UTF-8).
    ["caf\u00e9 100%", "café 100%"],
    ["caf\u00c3\u00a9", "café"],
  ])("reads %s", (value, expected) => {
    expect(decodeEventHeader(value)).toBe(expected);
  });

  it("decodes everything that was encoded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(text.isWellFormed());
        expect(decodeEventHeader(encode(text))).toBe(text);
      }),
    );
  });

  it("decodes or refuses any bytes, and never throws", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const value = Buffer.from(bytes).toString("latin1");
        expect(["string", "undefined"]).toContain(typeof decodeEventHeader(value));
      }),
    );
  });
});

describe("readBinaryAttributes", () => {
  it("reads only ce- headers", () => {
    expect(
      readBinaryAttributes({ "ce-id": ["1"], "ce-source": ["/a%20b"], accept: ["x"] }),
    ).toEqual({ ok: true, attributes: { id: "1", source: "/a b" } });
  });

  it("refuses an attribute that is given twice or cannot be decoded", () => {
    for (const values of [["1", "2"], ["%FF"]]) {
      expect(readBinaryAttributes({ "ce-id": values })).toEqual({ ok: false, header: "ce-id" });
    }
  });

  it("ignores extensions, with any names and values", () => {
    const headers = {
      "ce-": ["x"],
      "ce-a_b": ["%FF"],
      "ce-ext": ["1", "2"],
      "ce-constructor": ["x"],
    };
    expect(readBinaryAttributes({ ...headers, "ce-id": ["1"] })).toEqual({
      ok: true,
      attributes: { id: "1" },
    });
  });
});

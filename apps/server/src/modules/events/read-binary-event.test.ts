import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeEventHeader, readBinaryAttributes } from "./read-binary-event.ts";

/** As the HTTP binding wants it: what is not printable ASCII, and spaces, quotes and percent signs, in UTF-8 as %XX. */
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
    // As the SDK for JavaScript sends "café", in Latin-1, and other programs do, in UTF-8.
    ["caf\u00e9 100%", "café 100%"],
    ["caf\u00c3\u00a9", "café"],
  ])("reads %s", (value, expected) => {
    expect(decodeEventHeader(value)).toBe(expected);
  });

  it("gives back whatever was encoded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(text.isWellFormed());
        expect(decodeEventHeader(encode(text))).toBe(text);
      }),
    );
  });

  it("reads any bytes or refuses them, and never throws", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const value = Buffer.from(bytes).toString("latin1");
        expect(["string", "undefined"]).toContain(typeof decodeEventHeader(value));
      }),
    );
  });
});

describe("readBinaryAttributes", () => {
  it("takes ce- headers and no others", () => {
    expect(
      readBinaryAttributes({ "ce-id": ["1"], "ce-source": ["/a%20b"], accept: ["x"] }),
    ).toEqual({ ok: true, attributes: { id: "1", source: "/a b" } });
  });

  it("refuses an attribute that stands there twice or cannot be decoded", () => {
    for (const values of [["1", "2"], ["%FF"]]) {
      expect(readBinaryAttributes({ "ce-id": values })).toEqual({ ok: false, header: "ce-id" });
    }
  });

  it("leaves extensions alone, whatever they hold and are called", () => {
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

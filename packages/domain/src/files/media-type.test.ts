import { describe, expect, it } from "vitest";
import { hasSignatureOf, isTextMediaType, parseFileMediaType } from "./media-type.ts";

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe("parseFileMediaType", () => {
  it.each([
    ["text/csv; charset=utf-8", "text/csv"],
    ["IMAGE/PNG", "image/png"],
    ["image/svg+xml", undefined],
    ["text/html", undefined],
    ["application/octet-stream", undefined],
    ["image/png, text/html", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("reads %j as %j", (header, expected) => {
    expect(parseFileMediaType(header)).toBe(expected);
  });
});

describe("hasSignatureOf", () => {
  const png = bytes("\x89PNG\r\n\x1a\n....");
  it.each([
    ["image/png", png, true],
    ["image/jpeg", png, false],
    ["image/jpeg", bytes("\xff\xd8\xff\xe0"), true],
    ["image/webp", bytes("RIFF\x10\x00\x00\x00WEBP"), true],
    ["image/webp", bytes("RIFF\x10\x00\x00\x00WAVE"), false],
    ["application/pdf", bytes("%PDF-1.7"), true],
    ["application/pdf", bytes("<svg>%PDF-"), false],
    ["image/png", bytes("\x89PN"), false],
    ["image/png", bytes(""), false],
  ] as const)("compares %s", (type, head, expected) => {
    expect(hasSignatureOf(type, head)).toBe(expected);
  });

  it("has none for text", () => {
    expect(isTextMediaType("text/csv")).toBe(true);
    expect(hasSignatureOf("text/csv", bytes("anything"))).toBe(true);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseLogLine } from "./parse-log-line.ts";

const auto = (text: string) => parseLogLine(text, { format: "auto" });

it.each(["", "  \t"])("refuses an empty line: '%s'", (text) => {
  expect(auto(text)).toEqual({ reason: "empty" });
});

describe("any text", () => {
  const pieces = fc.constantFrom(
    ...'[]"\\ -{}:/0'.split(""),
    "17/May/2015:10:05:03 +0000",
    "GET / HTTP/1.1",
    " 200 5",
    '"request":',
    '"status":200',
    "\\x1",
  );
  it("is a request in range or is refused with a reason, and never throws", () => {
    const texts = fc.oneof(
      fc.string(),
      fc.array(pieces).map((all) => all.join("")),
    );
    const json = fc.jsonValue().map((value) => JSON.stringify({ request: value, ts: 1 }));
    fc.assert(
      fc.property(fc.oneof(texts, json), (text) => {
        const read = auto(text);
        if ("request" in read) {
          const { epochMs, status, bytesIn, bytesOut } = read.request;
          expect(epochMs).toBeGreaterThanOrEqual(0);
          expect(status).toBeGreaterThanOrEqual(100);
          expect(status).toBeLessThanOrEqual(599);
          expect([bytesIn, bytesOut].every(Number.isSafeInteger)).toBe(true);
        } else {
          expect(read.reason).not.toBe("");
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

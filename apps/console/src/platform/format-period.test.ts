import { describe, expect, it } from "vitest";
import { formatDate, formatMinute, formatSpan } from "./format-period.ts";

/** The dash of a range stands between thin spaces. */
const plain = (text: string | undefined) => text?.replaceAll(/[\u2009\u202f\u00a0]/g, " ");

describe("times of billing", () => {
  it("are of UTC, with their year", () => {
    expect(formatDate("2026-12-01T00:00:00.000Z")).toBe("Dec 1, 2026");
    expect(formatDate("2026-11-30T23:59:59.999Z")).toBe("Nov 30, 2026");
    expect(plain(formatMinute("2026-12-01T16:30:00.000Z"))).toBe("Dec 1, 2026, 4:30 PM UTC");
  });

  it("name the last day that a range holds", () => {
    const month = formatSpan("2026-11-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z");
    expect(plain(month)).toBe("Nov 1 – 30, 2026");
    const anchored = formatSpan("2026-11-26T16:30:00.000Z", "2026-12-26T16:30:00.000Z");
    expect(plain(anchored)).toBe("Nov 26 – Dec 26, 2026");
  });

  it("write a range of no length as its day, and one without an end as nothing", () => {
    const instant = "2026-11-26T00:00:00.000Z";
    expect(formatSpan(instant, instant)).toBe("Nov 26, 2026");
    expect(formatSpan(instant, null)).toBe(undefined);
    expect(formatSpan(null, null)).toBe(undefined);
  });
});

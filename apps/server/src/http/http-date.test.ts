import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHttpDate } from "./http-date.ts";

describe("createHttpDate", () => {
  it("says the second of the clock, also when that jumps", () => {
    const instants = fc.array(fc.date({ min: new Date(0), noInvalidDate: true }), { minLength: 1 });
    fc.assert(
      fc.property(instants, (nows) => {
        let nowMs = 0;
        const httpDate = createHttpDate(() => nowMs);
        for (const now of nows) {
          nowMs = now.getTime();
          expect(httpDate()).toBe(now.toUTCString());
        }
      }),
    );
  });

  it("changes with the second, not before", () => {
    let nowMs = Date.UTC(2026, 1, 3, 4, 5, 6, 999);
    const httpDate = createHttpDate(() => nowMs);
    expect(httpDate()).toBe("Tue, 03 Feb 2026 04:05:06 GMT");
    nowMs += 1;
    expect(httpDate()).toBe("Tue, 03 Feb 2026 04:05:07 GMT");
    nowMs -= 1;
    expect(httpDate()).toBe("Tue, 03 Feb 2026 04:05:06 GMT");
  });
});

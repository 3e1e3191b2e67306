import fc from "fast-check";
import { expect, it } from "vitest";
import { nextDigestMs } from "./digest-schedule.ts";

const next = (frequency: "daily" | "weekly", timeZone: string, after: string) =>
  new Date(nextDigestMs({ frequency, timeZone }, Date.parse(after))).toISOString();

it("comes at eight in the morning of the reader, also when the clocks change", () => {
  expect(next("daily", "Europe/Berlin", "2026-03-27T12:00:00Z")).toBe("2026-03-28T07:00:00.000Z");
  expect(next("daily", "Europe/Berlin", "2026-03-28T07:00:00Z")).toBe("2026-03-29T06:00:00.000Z");
  expect(next("daily", "Asia/Kathmandu", "2026-07-01T00:00:00Z")).toBe("2026-07-01T02:15:00.000Z");
  expect(next("weekly", "America/New_York", "2026-07-06T11:59:59Z")).toBe(
    "2026-07-06T12:00:00.000Z",
  );
  expect(next("weekly", "America/New_York", "2026-07-06T12:00:00Z")).toBe(
    "2026-07-13T12:00:00.000Z",
  );
});

it("lies ahead, at most a day or a week and an hour, and shows eight on the reader's clock", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia"),
      fc.constantFrom("daily" as const, "weekly" as const),
      fc.date({ min: new Date("2024-01-01"), max: new Date("2030-01-01"), noInvalidDate: true }),
      (timeZone, frequency, after) => {
        const at = nextDigestMs({ frequency, timeZone }, after.getTime());
        const days = (at - after.getTime()) / 86_400_000;
        expect(days).toBeGreaterThan(0);
        expect(days).toBeLessThan((frequency === "daily" ? 1 : 7) + 1.01 / 24);
        const parts = new Intl.DateTimeFormat("en-GB", {
          timeZone,
          weekday: "long",
          timeStyle: undefined,
          hour: "2-digit",
          minute: "2-digit",
        }).format(at);
        expect(parts).toContain("08:00");
        expect(frequency === "daily" || parts.startsWith("Monday")).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

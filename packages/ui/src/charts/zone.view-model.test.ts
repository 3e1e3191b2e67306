import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createZone } from "./zone.view-model.ts";

const at = (iso: string) => Date.parse(iso);

describe("createZone", () => {
  it.each([
    ["UTC", 0],
    ["Asia/Kolkata", 5.5],
    ["Asia/Kathmandu", 5.75],
    ["America/St_Johns", -3.5],
    ["Europe/Berlin", 1],
  ])("knows that %s is %f hours from UTC in winter", (name, hours) => {
    expect(createZone(name).offsetMs(at("2026-01-15T12:00:00Z"))).toBe(hours * 3_600_000);
  });

  it("takes the first of an hour that comes twice", () => {
    const zone = createZone("Europe/Berlin");
    expect(zone.toInstant(at("2026-10-25T02:30:00Z"))).toBe(at("2026-10-25T00:30:00Z"));
  });

  it("takes the first instant after a midnight that does not exist", () => {
    const zone = createZone("Africa/Cairo");
    expect(zone.toInstant(at("2026-04-24T00:00:00Z"))).toBe(at("2026-04-23T22:00:00Z"));
  });

  it("comes back to the same instant, but for the second of two equal hours", () => {
    const zone = createZone("America/New_York");
    fc.assert(
      fc.property(fc.integer({ min: at("2020-01-01"), max: at("2030-01-01") }), (instantMs) => {
        const back = zone.toInstant(zone.toLocal(instantMs));
        expect([instantMs, instantMs - 3_600_000]).toContain(back);
      }),
    );
  });

  it("refuses a zone that does not exist", () => {
    expect(() => createZone("Mars/Olympus")).toThrow(RangeError);
  });
});

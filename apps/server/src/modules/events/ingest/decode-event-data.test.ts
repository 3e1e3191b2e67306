import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeEventData } from "./decode-event-data.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("decodeEventData", () => {
  it("finds the same JSON that a structured event could have held", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(undefined, "application/json", "Application/JSON; a=b", "a/b+json"),
        (data, datacontenttype) => {
          const encoded = { id: "1", datacontenttype, data_base64: base64(JSON.stringify(data)) };
          expect(decodeEventData(encoded)).toEqual({
            ok: true,
            value: { id: "1", datacontenttype, data: JSON.parse(JSON.stringify(data)) },
          });
        },
      ),
    );
  });

  it.each([
    ["bytes of a picture", { datacontenttype: "image/png", data_base64: "iVBORw==" }],
    ["bytes of no type", { data_base64: base64("\u00ff") }],
    ["nothing", { data_base64: null }],
  ])("drops %s", (_, { data_base64, ...event }) => {
    expect(decodeEventData({ ...event, data_base64 })).toEqual({ ok: true, value: event });
  });

  it("takes a text unchanged", () => {
    const event = { datacontenttype: "text/plain; charset=utf-8" };
    expect(decodeEventData({ ...event, data_base64: base64("{ é") })).toEqual({
      ok: true,
      value: { ...event, data: "{ é" },
    });
  });

  it.each([
    ["INVALID_EVENT", { data_base64: 5 }],
    ["INVALID_EVENT", { data_base64: "a" }],
    ["INVALID_EVENT", { data_base64: "e30=", data: {} }],
    ["INVALID_EVENT", { data_base64: base64("{"), datacontenttype: "application/json" }],
    ["EVENT_TOO_LARGE", { data_base64: Buffer.alloc(65_537).toString("base64") }],
  ])("refuses unreadable data with %s: %o", (code, event) => {
    expect(decodeEventData(event)).toMatchObject({ ok: false, rejection: { code } });
  });

  it("never throws, and leaves events without data_base64 alone", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(decodeEventData(value)).toEqual({ ok: true, value });
        expect(typeof decodeEventData({ data_base64: value }).ok).toBe("boolean");
      }),
    );
  });
});

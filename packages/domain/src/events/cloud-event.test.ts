import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCloudEvent } from "./cloud-event.ts";
import { compileMeter, measureEvent } from "./measure-event.ts";

const GOOD = { specversion: "1.0", id: "1", source: "/s", type: "t" };

describe("parseCloudEvent", () => {
  it("reads the attributes it needs and ignores the others", () => {
    expect(parseCloudEvent({ ...GOOD, subject: "acme", traceparent: "x", data: [1] })).toEqual({
      ok: true,
      event: { id: "1", source: "/s", type: "t", subject: "acme", timeMs: undefined, data: [1] },
    });
    expect(parseCloudEvent({ ...GOOD, subject: null, time: null })).toMatchObject({
      event: { subject: undefined, timeMs: undefined },
    });
  });

  it.each([
    ["specversion", "0.3"],
    ["id", ""],
    ["id", 1],
    ["source", "a\0"],
    ["source", "\ud800"],
    ["type", "x".repeat(257)],
    ["subject", {}],
    ["time", 1],
    ["time", "yesterday"],
  ])("refuses %s of %j", (name, value) => {
    expect(parseCloudEvent({ ...GOOD, [name]: value })).toMatchObject({
      ok: false,
      rejection: { code: "INVALID_EVENT" },
    });
  });

  it("never throws for any JSON, nor does measuring it", () => {
    const meter = compileMeter(
      {
        meterId: "m",
        name: "M",
        unit: "u",
        aggregation: "sum",
        eventType: "t",
        valuePointer: "/a/0",
        dimensions: [{ name: "d", pointer: "/__proto__/x" }],
      },
      1,
    );
    const key = fc.constantFrom("a", "__proto__", "constructor", "0", "data", "id");
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue(),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc
          .array(fc.tuple(key, tie("tree")))
          .map((pairs) =>
            JSON.parse(
              `{${pairs.map(([name, value]) => `"${name}":${JSON.stringify(value)}`).join(",")}}`,
            ),
          ),
      ),
    }));
    fc.assert(
      fc.property(tree, (data) => {
        expect(parseCloudEvent(data).ok).toBe(false);
        const parsed = parseCloudEvent({ ...GOOD, data });
        expect(parsed.ok).toBe(true);
        const measured = measureEvent([meter], data);
        if (measured.ok) {
          expect(measured.measurements[0]?.dimensions).toEqual([expect.any(String)]);
        }
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import type { TimeSeries } from "./chart-types.ts";
import { toReadout, toTotal } from "./readout.view-model.ts";

const series = (key: string, value: number | null): TimeSeries => ({
  key,
  label: key,
  tone: "info",
  values: [value],
});
const keysOf = (readout: ReturnType<typeof toReadout>) => readout.rows.map((row) => row.series.key);

describe("toReadout", () => {
  it("lists bars from the top down and lines by value, the unknown last", () => {
    const all = [series("a", 1), series("b", null), series("c", 3)];
    expect(keysOf(toReadout(all, 0, "stack"))).toEqual(["c", "b", "a"]);
    expect(keysOf(toReadout(all, 0, "value"))).toEqual(["c", "a", "b"]);
  });

  it("lists the ten largest of 200 and says how many it does not", () => {
    const all = Array.from({ length: 200 }, (_, index) => series(String(index), index));
    const readout = toReadout(all, 0, "value");
    expect(keysOf(readout)[0]).toBe("199");
    expect(readout.rows).toHaveLength(10);
    expect(readout.moreCount).toBe(190);
  });

  it("adds up a stack, now and before", () => {
    const all = [series("a", 1), { ...series("b", 2), previous: [7] }];
    expect(toTotal(all, 0)).toEqual({ value: 3, previous: 7 });
    expect(toTotal([series("a", null)], 0)).toEqual({ value: null, previous: undefined });
  });

  it("tells nothing compared from nothing known before", () => {
    expect(toReadout([series("a", 1)], 0, "value").rows[0]?.previous).toBe(undefined);
    const compared = { ...series("a", 1), previous: [null] };
    expect(toReadout([compared], 0, "value").rows[0]?.previous).toBe(null);
  });
});

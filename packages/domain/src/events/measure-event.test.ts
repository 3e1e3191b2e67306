import { expect, it } from "vitest";
import type { Aggregation } from "../catalog/meter.ts";
import { compileMeter, measureEvent } from "./measure-event.ts";

function meterOf(aggregation: Aggregation) {
  const valuePointer = aggregation === "count" ? undefined : "/value";
  const dimensions = [{ name: "part", pointer: "/part" }];
  const name = "Meter";
  return compileMeter(
    { meterId: aggregation, name, unit: "unit", aggregation, valuePointer, dimensions },
    1,
  );
}

it.each<[string, Aggregation, string]>([
  ["a whole number beyond 2^53 is not exact", "unique_count", '{"value":9007199254740993}'],
  ["nor is one below zero", "unique_count", '{"value":-9007199254740993}'],
  ["nor what overflows", "unique_count", '{"value":1e400}'],
  ["a dimension must be exact too", "count", '{"part":9007199254740993}'],
  ["every aggregation reads dimensions", "sum", '{"value":1,"part":9007199254740993}'],
])("refuses what JSON has rounded: %s", (_why, aggregation, data) => {
  const measured = measureEvent([meterOf(aggregation)], JSON.parse(data));
  expect(measured).toMatchObject({
    ok: false,
    rejection: { code: "INVALID_VALUE", reason: expect.stringContaining("send it as a text") },
  });
});

it.each<[Aggregation, string, object]>([
  ["unique_count", '{"value":9007199254740991}', { unique: "9007199254740991" }],
  ["unique_count", '{"value":"9007199254740993"}', { unique: '"9007199254740993"' }],
  ["count", '{"part":"9007199254740993"}', { dimensions: ["9007199254740993"] }],
  ["count", '{"part":9007199254740991}', { dimensions: ["9007199254740991"] }],
  ["count", '{"unread":9007199254740993}', { quantity: "1", dimensions: [""] }],
])(
  "with %s, accepts exact numbers and ignores unread ones: %s",
  (aggregation, data, measurement) => {
    const measured = measureEvent([meterOf(aggregation)], JSON.parse(data));
    expect(measured).toMatchObject({ ok: true, measurements: [measurement] });
  },
);

it("leaves an event without a value to the other meters, with any dimensions", () => {
  const data = JSON.parse('{"part":9007199254740993}');
  const measured = measureEvent([meterOf("sum")], data);
  expect(measured).toMatchObject({
    ok: false,
    rejection: { reason: expect.stringContaining("finds no value") },
  });
});

it.each([
  ["10", true],
  ["10.000000000001", false],
  [10.5, false],
  ["0", true],
])("takes %j with a highest value of 10: %j", (value, ok) => {
  const meter = compileMeter(
    {
      meterId: "spent",
      name: "M",
      unit: "u",
      aggregation: "sum",
      valuePointer: "",
      valueMax: "10",
    },
    1,
  );
  expect(measureEvent([meter], value)).toMatchObject(
    ok ? { ok } : { ok, rejection: { reason: expect.stringContaining("up to 10") } },
  );
});

import { expect, it } from "vitest";
import { orderTables } from "./order-tables.ts";

it("puts each table after those that it refers to, however long the chain", () => {
  const references = [
    { from: "attempts", to: "deliveries" },
    { from: "deliveries", to: "endpoints" },
    { from: "endpoints", to: "elsewhere" },
  ];
  expect(orderTables(["attempts", "alerts", "deliveries", "endpoints"], references)).toEqual([
    ...["alerts", "endpoints", "deliveries", "attempts"],
  ]);
});

it("refuses a circle", () => {
  const circle = [
    { from: "a", to: "b" },
    { from: "b", to: "a" },
  ];
  expect(() => orderTables(["a", "b", "c"], circle)).toThrow("a, b");
});

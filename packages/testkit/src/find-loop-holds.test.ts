import { expect, it } from "vitest";
import { findLoopHolds } from "./find-loop-holds.ts";

it("finds the lines of holds beyond the bound, among all that a product prints", () => {
  const line = (heldMs: number) =>
    JSON.stringify({
      level: "warn",
      heldMs,
      requests: ["POST /v1/x"],
      msg: "The event loop was held",
    });
  const output = [
    "Turnpike is ready.",
    line(1_000),
    line(1_001),
    '{"msg":"Another","heldMs":1900}',
  ];
  expect(findLoopHolds(output.join("\n"))).toEqual([line(1_001)]);
});

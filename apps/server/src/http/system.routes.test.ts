import { describe, expect, it } from "vitest";
import { type PartStatus, toReadiness } from "./system.routes.ts";

const parts = (...statuses: PartStatus[]) =>
  Object.fromEntries(statuses.map((status, index) => [`part-${String(index)}`, { status }]));

describe("toReadiness", () => {
  it.each<[PartStatus[], boolean, string, string]>([
    [["ok", "ok"], false, "ready", "all parts work"],
    [["ok", "degraded"], false, "degraded", "calls are served"],
    [["down", "degraded"], false, "unready", "a part that calls need is away"],
    [["ok", "ok"], true, "unready", "the process was asked to stop: no new traffic"],
    [[], false, "ready", "no parts"],
  ])("makes of %j, draining %j: %s (%s)", (statuses, isDraining, status) => {
    expect(toReadiness(parts(...statuses), isDraining)).toEqual({
      status,
      parts: parts(...statuses),
    });
  });
});
